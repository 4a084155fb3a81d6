// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Hint;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.Tokens;
import dev.bellwether.testkit.model.LeaseCell.Hold;
import dev.bellwether.testkit.model.LeaseCell.Ticket;

/** Passing what is free to those who wait. */
final class Passing {
    /** A bound for one step; the next request for the name goes on. */
    private static final int MOST_HANDED = 64;

    private Passing() {}

    /** Hands it to each head whose patience is spent; a patient one is only told that it may try. */
    static void pass(Moment moment, LeaseName name, LeaseCell cell) {
        for (int handed = 0; handed < MOST_HANDED; handed++) {
            Ticket head = cell.head();
            if (head == null || cell.hush != null || !cell.fits(head.share())) return;
            moment.tell(head.client(), new Hint.Passed(name, head.owner()));
            if (head.isPatientAt(moment.now())) return;
            hand(moment, cell, head);
        }
    }

    private static void hand(Moment moment, LeaseCell cell, Ticket head) {
        Tokens tokens = Acquiring.nextTokens(moment, cell, head.tokens());
        cell.capacity = head.share().capacity();
        long until = moment.end(head.grant());
        cell.holds.add(new Hold(head.owner(), tokens, head.share().weight(), until, moment.now(), false, false));
        if (!head.retain().isZero()) {
            cell.grants = new LeaseCell.Grants(tokens.last(), head.owner(), moment.end(head.retain()));
        }
        cell.line.remove(0);
    }

    /** Tells those who were refused without a place in line. */
    static void freed(Moment moment, LeaseName name, LeaseCell cell) {
        cell.armed.forEach(whom -> moment.tell(whom, new Hint.Freed(name)));
        cell.armed.clear();
    }
}
