// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Items by rank, then by order of enqueue: a binary heap from which any item can be taken in logarithmic time. */
final class Ranks {
    private static final int SMALLEST = 16;

    private @Nullable Item[] heap = new @Nullable Item[SMALLEST];
    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    @Nullable
    Item first() {
        return heap[0];
    }

    void add(Item item, long rank) {
        if (size == heap.length) heap = Arrays.copyOf(heap, size * 2);
        item.rank = rank;
        rise(item, size++);
    }

    void remove(Item item) {
        Item last = at(--size);
        heap[size] = null;
        if (last != item) {
            sink(last, item.position);
            if (last.position == item.position) rise(last, item.position);
        }
        if (size < heap.length / 4 && heap.length > SMALLEST) heap = Arrays.copyOf(heap, heap.length / 2);
    }

    Stream<Item> inAnyOrder() {
        return Arrays.stream(heap, 0, size).map(Item.class::cast);
    }

    private void rise(Item item, int from) {
        int position = from;
        while (position > 0) {
            Item parent = at((position - 1) / 2);
            if (!before(item, parent)) break;
            set(parent, position);
            position = (position - 1) / 2;
        }
        set(item, position);
    }

    private void sink(Item item, int from) {
        int position = from;
        for (int child = 2 * position + 1; child < size; child = 2 * position + 1) {
            if (child + 1 < size && before(at(child + 1), at(child))) child++;
            if (!before(at(child), item)) break;
            set(at(child), position);
            position = child;
        }
        set(item, position);
    }

    private void set(Item item, int position) {
        heap[position] = item;
        item.position = position;
    }

    private Item at(int position) {
        Item item = heap[position];
        if (item == null) throw new IllegalStateException("a hole in the heap at " + position + " of " + size);
        return item;
    }

    private static boolean before(Item one, Item other) {
        return one.rank != other.rank ? one.rank < other.rank : one.number < other.number;
    }
}
