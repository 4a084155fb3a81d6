// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.error.BackendUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The first connection: bounded, and a failure says what to do. */
final class Connecting {
    private Connecting() {}

    /** Waits until all is connected, or says in one sentence what is wrong and how to mend it. */
    static void await(CompletableFuture<?> connected, Settings settings) {
        Duration limit = settings.connectTimeout().multipliedBy(2);
        try {
            connected.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw failed(settings, e.getCause());
        } catch (TimeoutException e) {
            throw failed(settings, new TimeoutException("no connection within " + limit));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(settings, e);
        }
    }

    static BackendUnavailableException failed(Settings settings, @Nullable Throwable cause) {
        Throwable root = cause;
        while (root != null && root.getCause() != null && root.getCause() != root) root = root.getCause();
        String said = root == null ? "unknown" : String.valueOf(root.getMessage());
        return new BackendUnavailableException(
                "cannot connect to " + settings.description() + ": " + said + "; " + remedy(said), cause);
    }

    private static String remedy(String said) {
        if (said.contains("WRONGPASS") || said.contains("NOAUTH") || said.contains("NOPERM")) {
            return "check user and password in the URI";
        }
        if (said.contains("max number of clients")) return "raise maxclients or close other connections";
        if (said.contains("SSL") || said.contains("certificat")) return "check rediss:// and the server's certificate";
        if (said.contains("LOADING")) return "the server is reading its data; try again when it is done";
        if (said.contains("resolve") || said.contains("Unknown host")) return "check the host name in the URI";
        return "start a server there, or correct the address; a firewall or protected mode may refuse too";
    }

    /** Empty if it works; the name of the thing where the server refused it. Any other failure stays a failure. */
    static CompletionStage<String> whatWorks(String what, CompletionStage<?> attempt) {
        return attempt.handle((done, failure) -> {
            if (failure == null) return "";
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            if (cause instanceof io.lettuce.core.RedisCommandExecutionException) {
                return "no " + what + ": " + cause.getMessage() + ". ";
            }
            throw new CompletionException(cause);
        });
    }
}
