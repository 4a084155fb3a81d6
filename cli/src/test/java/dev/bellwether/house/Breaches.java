// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.house;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** A house with one breach of each rule, compiled for the test that the rules find them. */
final class Breaches {
    private static final Map<String, String> SOURCES = Map.ofEntries(
            source("io.lettuce.Driver", "public class Driver {}"),
            source("io.github.resilience4j.Breaker", "public class Breaker {}"),
            source("com.github.benmanes.Cache", "public class Cache {}"),
            source("dev.bellwether.Facade", "public class Facade {}"),
            source(
                    "dev.bellwether.memo.Memo",
                    "public class Memo { dev.bellwether.queue.Queue queue; dev.bellwether.Facade facade;"
                            + " public io.lettuce.Driver driver(io.lettuce.Driver given) { return given; } }"),
            source("dev.bellwether.flight.Flight", "public class Flight { dev.bellwether.queue.Queue queue; }"),
            source("dev.bellwether.queue.Queue", "public class Queue { dev.bellwether.memo.Memo memo; }"),
            source(
                    "dev.bellwether.lock.Lock",
                    "public class Lock { dev.bellwether.memo.Memo memo; dev.bellwether.queue.Queue queue; }"),
            source("dev.bellwether.spi.Spi", "public class Spi { dev.bellwether.lock.Lock lock; }"),
            source("dev.bellwether.time.Time", "public class Time { dev.bellwether.spi.Spi spi; }"),
            source("dev.bellwether.error.Failure", "public class Failure { dev.bellwether.spi.Spi spi; }"),
            source("dev.bellwether.redis.Redis", "public class Redis {}"),
            source(
                    "dev.bellwether.memory.Memory",
                    "public class Memory { dev.bellwether.redis.Redis sibling; dev.bellwether.lock.Lock lock; }"),
            source("dev.bellwether.testkit.Kit", "public class Kit { dev.bellwether.memory.Memory memory; }"),
            source(
                    "dev.bellwether.engine.Clock",
                    "public class Clock { long now() throws Exception { Thread.sleep(1); return System.currentTimeMillis(); } }"),
            source(
                    "dev.bellwether.engine.Pools",
                    "public class Pools { Thread thread = new Thread(() -> {}); static int count;"
                            + " synchronized void go() { java.util.concurrent.Executors.newCachedThreadPool();"
                            + " System.exit(1); } io.github.resilience4j.Breaker breaker;"
                            + " com.github.benmanes.Cache cache; }"),
            source("dev.bellwether.engine.ThingManager", "class ThingManager implements java.io.Serializable {}"),
            source("dev.bellwether.engine.DefaultThing", "public class DefaultThing {}"));

    private Breaches() {}

    private static Map.Entry<String, String> source(String name, String body) {
        int dot = name.lastIndexOf('.');
        return Map.entry(name, "package " + name.substring(0, dot) + ";\n" + body);
    }

    static JavaClasses compile(Path folder) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<Path> files = new ArrayList<>();
        for (Map.Entry<String, String> source : SOURCES.entrySet()) {
            Path file = folder.resolve("src").resolve(source.getKey().replace('.', '/') + ".java");
            Files.createDirectories(file.getParent());
            files.add(Files.writeString(file, source.getValue()));
        }
        Path classes = Files.createDirectories(folder.resolve("classes"));
        StringWriter problems = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            List<String> options =
                    List.of("-d", classes.toString(), "-proc:none", "-nowarn", "-cp", classes.toString());
            boolean compiled = compiler.getTask(
                            problems, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files))
                    .call();
            if (!compiled) throw new IllegalStateException("the breaches do not compile: " + problems);
        }
        return new ClassFileImporter().importPath(classes);
    }
}
