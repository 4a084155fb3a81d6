// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.error.RejectedException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import java.util.List;
import java.util.concurrent.CompletionException;

/** From what the driver and the server say to what is certain. */
final class ExceptionMapping {
    /*
     * An error reply proves that the server answered; what it had done before depends on the error. Our scripts read every
     * key before the first write, so a wrong type changed nothing; a missing right inside a script may come after a write.
     * Redis 6.2 wraps inner errors as "ERR Error running script ... -OOM ...", so words are looked for anywhere.
     */

    /** The server would not serve at all, now or here; another moment or another node may. */
    private static final List<String> UNAVAILABLE = List.of(
            "READONLY",
            "NOREPLICAS",
            "LOADING",
            "BUSY",
            "MASTERDOWN",
            "TRYAGAIN",
            "CLUSTERDOWN",
            "MOVED",
            "ASK",
            "MISCONF");

    private static final List<String> INNER_RIGHTS =
            List.of("ACL failure in script", "user executing the script", "can't run this command", "can't publish");

    private ExceptionMapping() {}

    /** @param reading whether the request could change nothing, so that no outcome is unknown */
    static BellwetherException map(Throwable failure, String what, boolean reading) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof BellwetherException ours) {
            return reading && ours instanceof OutcomeUnknownException
                    ? new BackendUnavailableException(String.valueOf(ours.getMessage()), ours.getCause())
                    : ours;
        }
        if (cause instanceof RedisCommandExecutionException) return ofReply(cause, what, reading);
        if (cause instanceof RedisConnectionException || neverSent(cause)) {
            return new BackendUnavailableException(what + " was not sent: " + cause.getMessage(), cause);
        }
        return lost(cause, what, reading);
    }

    /** The connection ended, or no answer came in time. */
    static BellwetherException lost(Throwable cause, String what, boolean reading) {
        String message = "no answer to " + what + ": " + cause.getMessage();
        return reading ? new BackendUnavailableException(message, cause) : new OutcomeUnknownException(message, cause);
    }

    private static BellwetherException ofReply(Throwable cause, String what, boolean reading) {
        String said = String.valueOf(cause.getMessage());
        String message = "the server refused " + what + ": " + said;
        if (has(said, "OOM")) {
            return new RejectedException(message + "; the store is full: free memory or raise maxmemory", cause);
        }
        for (String word : INNER_RIGHTS) {
            if (said.contains(word)) {
                message += "; the user needs the commands listed in docs/design/wire-format.md";
                return reading ? new RejectedException(message, cause) : new OutcomeUnknownException(message, cause);
            }
        }
        if (has(said, "NOPERM") || has(said, "NOAUTH") || has(said, "WRONGPASS")) {
            return new RejectedException(message + "; check user, password and rights", cause);
        }
        if (has(said, "WRONGTYPE")) {
            return new RejectedException(message + "; another program uses a key that begins with bw:", cause);
        }
        for (String word : UNAVAILABLE) {
            if (has(said, word)) return new BackendUnavailableException(message, cause);
        }
        if (has(said, "CROSSSLOT") || said.startsWith("ERR unknown command"))
            return new RejectedException(message, cause);
        return reading ? new BellwetherException(message, cause) : new OutcomeUnknownException(message, cause);
    }

    /** Whether the error speaks of a server that has stopped being the one to write to. */
    static boolean wantsAnotherServer(Throwable failure) {
        String said = String.valueOf(failure.getMessage());
        return failure instanceof RedisCommandExecutionException && (has(said, "READONLY") || has(said, "MASTERDOWN"));
    }

    /** Whether the driver refused to send, for want of a connection. */
    static boolean neverSent(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        String said = String.valueOf(cause.getMessage());
        return cause instanceof RedisException
                && (said.contains("not connected")
                        || said.contains("Connection is closed")
                        || said.contains("Request queue"));
    }

    private static boolean has(String said, String word) {
        for (int at = said.indexOf(word); at >= 0; at = said.indexOf(word, at + 1)) {
            int end = at + word.length();
            boolean begins = at == 0 || !Character.isLetterOrDigit(said.charAt(at - 1));
            boolean ends = end == said.length() || !Character.isLetterOrDigit(said.charAt(end));
            if (begins && ends) return true;
        }
        return false;
    }
}
