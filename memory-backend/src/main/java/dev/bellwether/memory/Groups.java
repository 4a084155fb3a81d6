// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Bytes;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The groups of a queue: of each only the head is to be delivered, the others stand behind it. */
final class Groups {
    private final Map<Bytes, Group> groups = new HashMap<>();
    private int behind;

    private static final class Group {
        private Item head;
        private final Set<Item> behind = new LinkedHashSet<>();

        private Group(Item head) {
            this.head = head;
        }
    }

    int behind() {
        return behind;
    }

    /** False if the item, being the head of its group or of none, is itself to be delivered. */
    boolean standsBehind(Item item) {
        if (item.group == null) return false;
        Group group = groups.computeIfAbsent(item.group, name -> new Group(item));
        if (group.head == item) return false;
        if (group.behind.add(item)) behind++;
        return true;
    }

    /** Takes the item out; answers the next head if it was the head and somebody stood behind it. */
    @Nullable
    Item leave(Item item) {
        if (item.group == null) return null;
        Group group = groups.get(item.group);
        if (group == null) return null;
        if (group.head != item) {
            if (group.behind.remove(item)) behind--;
            return null;
        }
        return successor(item.group, group);
    }

    private @Nullable Item successor(Bytes name, Group group) {
        if (group.behind.isEmpty()) {
            groups.remove(name);
            return null;
        }
        Item next = group.behind.iterator().next();
        group.behind.remove(next);
        behind--;
        group.head = next;
        return next;
    }
}
