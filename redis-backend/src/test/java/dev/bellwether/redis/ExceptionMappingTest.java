// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.error.RejectedException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.internal.ExceptionFactory;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExceptionMappingTest {
    private static Throwable map(String said) {
        return ExceptionMapping.map(ExceptionFactory.createExecutionException(said), "a commit", false);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "READONLY You can't write against a read only replica. script: 00aa",
                "ERR Error running script (call to f_1): @user_script:1: -READONLY You can't write against a read only",
                "LOADING Redis is loading the dataset in memory",
                "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "CLUSTERDOWN The cluster is down",
                "MOVED 866 127.0.0.1:7001",
                "NOREPLICAS Not enough good replicas to write.",
                "MISCONF Redis is configured to save RDB snapshots"
            })
    void aServerThatWouldNotServeChangedNothing(String said) {
        assertThat(map(said)).isInstanceOf(BackendUnavailableException.class).hasMessageContaining(said);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "OOM command not allowed when used memory > 'maxmemory'.",
                "ERR Error running script (call to f_1): @user_script:1: -OOM command not allowed when used memory",
                "NOPERM this user has no permissions to run the 'evalsha' command",
                "NOAUTH Authentication required.",
                "WRONGTYPE Operation against a key holding the wrong kind of value script: 00aa",
                "CROSSSLOT Keys in request don't hash to the same slot"
            })
    void aRefusalIsFinalAndChangedNothing(String said) {
        assertThat(map(said)).isInstanceOf(RejectedException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ERR ACL failure in script: User default has no permissions to run the 'zadd' command",
                "ERR The user executing the script can't run this command or subcommand script: 00aa",
                "ERR user_script:12: attempt to index a nil value script: 00aa"
            })
    void whatFailedInsideAScriptMayHaveBegun(String said) {
        assertThat(map(said)).isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void aLostConnectionLeavesTheOutcomeOfAWriteUnknown() {
        for (Throwable lost : new Throwable[] {
            new RedisException("Connection disconnected"), new IOException("Connection reset by peer")
        }) {
            assertThat(ExceptionMapping.map(lost, "a commit", false)).isInstanceOf(OutcomeUnknownException.class);
            assertThat(ExceptionMapping.map(new CompletionException(lost), "a read", true))
                    .isInstanceOf(BackendUnavailableException.class);
        }
    }

    @Test
    void whatWasNotSentChangedNothing() {
        for (Throwable rejected : new Throwable[] {
            new RedisException("Currently not connected. Commands are rejected."),
            new RedisException("Connection is closed"),
            new RedisConnectionException("Unable to connect")
        }) {
            assertThat(ExceptionMapping.map(rejected, "a commit", false))
                    .isInstanceOf(BackendUnavailableException.class);
        }
    }

    @Test
    void aWordInsideAnotherIsNotThatWord() {
        assertThat(map("ERR BOOMERANG")).isInstanceOf(OutcomeUnknownException.class);
        assertThat(ExceptionMapping.wantsAnotherServer(new RedisCommandExecutionException("READONLY x")))
                .isTrue();
    }
}
