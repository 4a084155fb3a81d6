// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

/** What the contracts prove: the numbered laws, split into statements that can break one without the other. */
public enum Law {
    ATOMIC("S1", "a commit happens entirely or not at all, whichever of its checks or mutations is refused"),
    PARTITIONS("S1", "a commit across partitions happens whole, or is refused at once where the power is missing"),
    CHECKS("S1", "checks hold or fail by what stood before the first mutation"),
    CONFLICT("S1", "a conflict names everything that stood in the way, in order"),
    CONFLICT_VALUE("S1", "a conflict shows the value to a check that asks for it, and to no other"),
    REFUSAL("S5", "a rejected request changed nothing"),
    VERSIONS("S2", "versions grow with every change of a name; all changes of one commit share one"),
    TOMBSTONES("S2", "a remembered delete answers absent with its version until its time ends"),
    EXPIRY("S3", "an entry is present until its time has passed and absent from then on"),
    FOREVER("S3", "lengths of any size are kept or saturated, never wrapped"),
    KEEP("S3", "Keep leaves the expiry as it stands"),
    COUNTERS("S1", "a count adds, takes the least or the greatest, and refuses what is no counter"),
    OVERFLOW("S1", "an overflow fails, saturates or wraps as asked"),
    NAMES("E3", "any bytes from 1 to 2,048 name an entry, and different bytes different entries"),
    SIZES("E1", "values and commits of any size up to the stated limits are kept, larger ones refused"),
    READS("S1", "a read answers each key in the order asked, a repeated key repeatedly"),
    RANGES("S1", "a range gives the present entries of one partition in byte order, cut by its limit"),

    COMMIT_TWICE("S4", "a commit with an id that is sent again answers as before and does nothing"),
    LEASE_TWICE("S4", "a lease request that is sent again has the effect of once"),
    ENQUEUE_TWICE("S4", "an enqueue that is sent again adds nothing and answers the same ids"),
    CLAIM_TWICE("S4", "a claim that is sent again gives the same deliveries"),
    SETTLE_TWICE("S4", "a settlement that is sent again changes nothing"),

    EXCLUSIVE("L1", "a lease has one holder at most until it is released or its term ends"),
    CAPACITY("L1", "the weights of all holders never exceed the capacity"),
    CAPACITY_AGREED("S5", "a request that states another capacity is refused while anybody holds"),
    TERM("L1", "a hold ends at its term, and not before"),
    TOKENS("L2", "tokens grow from grant to grant, a range by its whole length"),
    ENDED("S4", "an owner whose hold is over is told so"),
    RENEWAL("L3", "only a live hold is renewed, by its owner"),
    RELEASE("L3", "only the holder releases; a stranger changes nothing"),
    FENCE("L3", "a commit that checks or changes a lost hold is refused"),
    UNLESS("M1", "an entry that stands there with another version is answered instead of a grant"),
    QUIET("M4", "a lease that was left quiet answers its note until the time ends or somebody insists"),
    REINSTATE("L4", "a forgotten hold is restored only if nobody was granted a later token"),
    BREAK("L4", "a broken hold cannot be renewed, and is free at once only if asked"),
    TAKE("S1", "a lease taken within a commit is granted under the same rules as by itself"),
    OVERVIEW("E3", "an inspection lists every lease that is held, quiet or waited for"),

    LINE("L5", "places in line are kept in order of arrival"),
    PATIENCE("L5", "newcomers overtake only while the patience of the first in line lasts"),
    HANDOVER("L5", "a lease that is handed over must be confirmed within its term"),
    LEAVING("L6", "who leaves the line leaves nothing, and its turn goes to the next"),
    DEAD_HEADS("L5", "a place whose time has ended stands in nobody's way"),
    WRITERS("L5", "a head that does not fit yet blocks those behind it"),

    FIFO("Q5", "messages of one due time are delivered in order of enqueue"),
    BANDS("Q5", "higher priority goes first, and lower never starves"),
    DUE("Q2", "a message is not delivered before it is due"),
    GROUPS("Q5", "messages of one group are delivered one after the other, in order"),
    DEDUP("Q1", "within its window a second message of one key is not enqueued"),
    BOUND("E1", "a queue never holds more live messages than its bound admits"),
    ONCE("Q2", "a message is in one delivery at most"),
    REDELIVERY("Q1", "a delivery whose lease lapses is delivered again, counted, and buried past its limit"),
    STALE("Q2", "a stale receipt changes nothing"),
    LATE_ACK("Q2", "a lapsed delivery may acknowledge until the message is delivered again"),
    EXTENSION("Q3", "an extended delivery keeps its message"),
    RETRIES("Q1", "a message given back returns after its delay, at its old place if it did not fail"),
    DEAD_LETTERS("Q1", "a buried message is kept with its story until it is moved or removed"),
    PAUSE("Q1", "a paused queue hands out nothing and loses nothing"),
    NEXT_DUE("Q6", "a claim says when to look again at the latest"),
    ONE_PLACE("Q1", "each live message is in exactly one place"),
    EFFECTS("Q4", "effects committed with a delivery happen exactly once"),

    CHANGED_HINT("M1", "who read with an armed read is told of the next change"),
    LEASE_HINTS("L5", "a freed lease is told to those refused, and a turn to its owner"),
    DUE_HINT("Q6", "a registered consumer is told of what is due"),
    LISTENERS("E2", "a subscription ends when closed, and a listener that throws disturbs nobody"),

    CLOSING("E1", "close is idempotent, and everything after it fails as closed"),
    ARGUMENTS("E3", "what is no request is refused at once, with a sentence");

    private final String number;
    private final String statement;

    Law(String number, String statement) {
        this.number = number;
        this.statement = statement;
    }

    /** The law of {@code docs/laws.md} that it belongs to. */
    public String number() {
        return number;
    }

    public String statement() {
        return statement;
    }
}
