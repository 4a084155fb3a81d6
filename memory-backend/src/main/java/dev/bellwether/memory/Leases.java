// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The leases. Every method needs the store's lock. */
final class Leases {
    private static final Comparator<LeaseName> BY_NAME = Comparator.comparing(LeaseName::name)
            .thenComparing(name -> name.partition().tag());

    private final Map<LeaseName, LeaseCell> cells = new HashMap<>();
    private final Entries entries;
    private final Expirations expirations;
    private final Bounds bounds;

    Leases(Entries entries, Expirations expirations, Bounds bounds) {
        this.entries = entries;
        this.expirations = expirations;
        this.bounds = bounds;
    }

    Acquisition acquire(LeaseRequest request, Moment moment) {
        KvEntry.Present found = foundInstead(request, moment);
        if (found != null) return new Acquisition.Found(found, moment.time());
        LeaseCell cell = cell(request.lease(), moment);
        Acquisition reply = cell.acquire(request, moment);
        if (reply instanceof Acquisition.Hushed || (reply instanceof Acquisition.Busy && request.line() == null)) {
            arm(cell, request, moment);
        }
        keep(cell, moment);
        return reply;
    }

    boolean isNew(LeaseName name) {
        return !cells.containsKey(name);
    }

    boolean isHeld(LeaseName name, Owner owner, Moment moment) {
        LeaseCell cell = find(name, moment);
        return cell != null && cell.hold(owner) != null;
    }

    LeaseState state(LeaseName name, Moment moment) {
        LeaseCell cell = find(name, moment);
        return cell == null ? new LeaseState(name, List.of(), 0, Duration.ZERO, 0) : cell.state(moment);
    }

    List<LeaseState> page(Inspection.Leases page, Moment moment) {
        return cells.values().stream()
                .filter(cell -> cell.name().name().startsWith(page.prefix()))
                .filter(cell -> page.after() == null || BY_NAME.compare(cell.name(), page.after()) > 0)
                .filter(cell -> isWorthShowing(cell, moment))
                .sorted(Comparator.comparing(LeaseCell::name, BY_NAME))
                .limit(page.limit())
                .map(cell -> cell.state(moment))
                .toList();
    }

    /** What stands in the way of the mutation, or null. */
    @Nullable
    Obstacle obstacle(int index, LeaseMutation mutation, Moment moment) {
        if (mutation instanceof LeaseMutation.Leave) return null;
        LeaseCell cell = find(mutation.lease(), moment);
        if (mutation instanceof LeaseMutation.Take take) return obstacle(index, take, cell, moment);
        if (mutation instanceof LeaseMutation.Break broken && broken.token() == null) return null;
        return stands(mutation, cell) ? null : new Obstacle.NotHeld(index, state(mutation.lease(), moment));
    }

    Outcome apply(LeaseMutation mutation, Moment moment) {
        LeaseCell cell = cell(mutation.lease(), moment);
        Outcome outcome = apply(mutation, cell, moment);
        keep(cell, moment);
        return outcome;
    }

    long size() {
        return cells.size();
    }

    void clear() {
        cells.clear();
    }

    /** The timer looks at a cell. */
    long sweep(LeaseCell cell, Moment moment) {
        cell.settle(moment);
        long end = cell.nextLook();
        if (end == Expiring.GONE) drop(cell, moment);
        return end;
    }

    private static boolean isWorthShowing(LeaseCell cell, Moment moment) {
        cell.settle(moment);
        return cell.isWorthShowing();
    }

    private KvEntry.@Nullable Present foundInstead(LeaseRequest request, Moment moment) {
        LeaseRequest.Unless unless = request.unless();
        if (unless == null) return null;
        KvEntry.Present present = entries.value(unless.key(), moment.millis());
        return present == null || present.version().equals(unless.seen()) ? null : present;
    }

    private void arm(LeaseCell cell, LeaseRequest request, Moment moment) {
        cell.arm();
        LeaseRequest.Unless unless = request.unless();
        if (unless != null) {
            KvEntry unused = entries.lookAndArm(unless.key(), moment);
        }
    }

    private @Nullable Obstacle obstacle(int index, LeaseMutation.Take take, @Nullable LeaseCell cell, Moment moment) {
        LeaseRequest request = take.request();
        if (cell == null) return null;
        if (cell.wouldRefuse(request)) {
            return new Obstacle.Unfit(
                    index,
                    "the lease " + cell.name().name() + " is held with another capacity than "
                            + request.share().capacity());
        }
        return cell.wouldGrant(request, moment) ? null : new Obstacle.LeaseTaken(index, cell.state(moment));
    }

    private static boolean stands(LeaseMutation mutation, @Nullable LeaseCell cell) {
        if (mutation instanceof LeaseMutation.Renew renew) {
            return cell == null ? renew.reinstate() != null : cell.mayRenew(renew);
        }
        if (cell == null) return false;
        if (mutation instanceof LeaseMutation.Release release) return cell.hold(release.owner()) != null;
        return mutation instanceof LeaseMutation.Break broken
                && broken.token() != null
                && cell.isHeldBy(broken.token());
    }

    private Outcome apply(LeaseMutation mutation, LeaseCell cell, Moment moment) {
        if (mutation instanceof LeaseMutation.Take take) return take(take, cell, moment);
        if (mutation instanceof LeaseMutation.Renew renew) return new Outcome.Renewed(cell.renew(renew, moment));
        if (mutation instanceof LeaseMutation.Release release) {
            cell.release(release.owner(), release.quiet(), moment);
        } else if (mutation instanceof LeaseMutation.Leave leave) {
            cell.leave(leave.owner(), moment);
        } else if (mutation instanceof LeaseMutation.Break broken) {
            breakHolds(broken, cell, moment);
        }
        return Outcome.DONE;
    }

    private static Outcome take(LeaseMutation.Take take, LeaseCell cell, Moment moment) {
        Acquisition reply = cell.acquire(take.request(), moment);
        if (reply instanceof Acquisition.Granted granted) return new Outcome.Taken(granted.tokens());
        throw new IllegalStateException("the lease was free when the commit was checked: " + reply);
    }

    private static void breakHolds(LeaseMutation.Break broken, LeaseCell cell, Moment moment) {
        Long token = broken.token();
        if (token == null) cell.breakAll(broken.atOnce(), moment);
        else cell.breakHold(token, broken.atOnce(), moment);
    }

    private @Nullable LeaseCell find(LeaseName name, Moment moment) {
        LeaseCell cell = cells.get(name);
        if (cell != null) cell.settle(moment);
        return cell;
    }

    private LeaseCell cell(LeaseName name, Moment moment) {
        LeaseCell cell = find(name, moment);
        if (cell != null) return cell;
        LeaseCell fresh = new LeaseCell(this, name);
        cells.put(name, fresh);
        bounds.add(1, name.name().length());
        return fresh;
    }

    private void keep(LeaseCell cell, Moment moment) {
        long end = cell.nextLook();
        if (end != Expiring.GONE) {
            expirations.scheduleBy(cell, end, moment);
            return;
        }
        expirations.cancel(cell);
        drop(cell, moment);
    }

    private void drop(LeaseCell cell, Moment moment) {
        cells.remove(cell.name());
        bounds.add(-1, -cell.name().name().length());
        cell.tellFreed(moment);
    }
}
