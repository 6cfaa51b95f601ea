package dev.spream.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.LockMode;
import dev.spream.lock.LockTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Targets that detect two conflicting holders at once: each has a counter that is correct only under locks, and records
 * its present holders. Conflicts are decided by paths alone, not by keys of locks.
 */
@SuppressWarnings("ThreadPriorityCheck")
final class GuardedTargets {
    private final List<Cell> cells = new ArrayList<>();

    GuardedTargets() {
        for (String user : List.of("u1", "u2")) {
            cells.add(new Cell(LockTarget.user(user)));
            for (String account : List.of("a1", "a2")) {
                cells.add(new Cell(LockTarget.account(user, account)));
                for (String resource : List.of("r1", "r2", "r3")) {
                    cells.add(new Cell(LockTarget.resource(user, account, resource)));
                }
            }
        }
    }

    /** Returns a random target with all levels equally likely, although there are few users. */
    LockTarget random(Random random) {
        int level = random.nextInt(3);
        List<Cell> ofLevel =
                cells.stream().filter(cell -> cell.target.level() == level).toList();
        return ofLevel.get(random.nextInt(ofLevel.size())).target;
    }

    /** Enters all targets that the locks cover at once, and leaves them again. */
    void visit(Map<LockTarget, LockMode> locked) {
        Map<LockMode, List<Cell>> covered = new TreeMap<>();
        for (Cell cell : cells) {
            if (isWritable(cell.target, locked)) {
                covered.computeIfAbsent(LockMode.EXCLUSIVE, mode -> new ArrayList<>())
                        .add(cell);
            } else if (locked.containsKey(cell.target)) {
                covered.computeIfAbsent(LockMode.SHARED, mode -> new ArrayList<>())
                        .add(cell);
            }
        }
        covered.forEach((mode, entered) -> entered.forEach(cell -> cell.enter(mode)));
        Thread.yield(); // gives other threads a chance to enter
        covered.forEach((mode, entered) -> entered.forEach(cell -> cell.leave(mode)));
    }

    private static boolean isWritable(LockTarget target, Map<LockTarget, LockMode> locked) {
        return locked.entrySet().stream()
                .filter(entry -> entry.getValue() == LockMode.EXCLUSIVE)
                .map(Map.Entry::getKey)
                .anyMatch(exclusive -> exclusive.equals(target) || exclusive.isAncestorOf(target));
    }

    void requireEveryVisitCounted() {
        assertThat(cells).allSatisfy(cell -> {
            assertThat(cell.visitors).hasValue(0);
            assertThat(cell.count).isEqualTo(cell.writers.get()).isPositive();
        });
    }

    /** A target with its visitors: -1 while a writer is present, else the number of readers. */
    private static final class Cell {
        final LockTarget target;
        final AtomicInteger visitors = new AtomicInteger();
        final AtomicInteger writers = new AtomicInteger();
        int count;

        Cell(LockTarget target) {
            this.target = target;
        }

        void enter(LockMode mode) {
            int before = visitors.getAndUpdate(now -> mode == LockMode.EXCLUSIVE ? -1 : now + 1);
            if (before < 0 || (before > 0 && mode == LockMode.EXCLUSIVE)) {
                throw new AssertionError("%s is entered %s while %s"
                        .formatted(target, mode, before < 0 ? "a writer is there" : before + " readers are there"));
            }
        }

        void leave(LockMode mode) {
            if (mode == LockMode.SHARED) {
                visitors.decrementAndGet();
                return;
            }
            int before = count;
            Thread.yield();
            count = before + 1;
            writers.incrementAndGet();
            visitors.set(0);
        }
    }
}
