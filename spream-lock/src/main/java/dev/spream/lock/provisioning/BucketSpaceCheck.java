package dev.spream.lock.provisioning;

import java.util.List;
import java.util.Optional;

/**
 * The result of a check: the buckets of a database compared with the layout.
 *
 * @param place the server and where in it the locks are, for people
 * @param recorded the recorded layout; empty if none is recorded
 * @param levels the buckets of each level; empty if they need no rows
 * @param facts facts about the server and the inspecting user, a sentence each
 * @param problems problems and what to do about them, a sentence or two each; empty if locks can be taken
 */
public record BucketSpaceCheck(
        String place, Optional<BucketLayout> recorded, List<Level> levels, List<String> facts, List<String> problems) {
    public BucketSpaceCheck {
        levels = List.copyOf(levels);
        facts = List.copyOf(facts);
        problems = List.copyOf(problems);
    }

    /** Returns whether locks can be taken. */
    public boolean isSound() {
        return problems.isEmpty();
    }

    /**
     * The existing and the missing buckets of one level.
     *
     * @param rows the number of existing buckets
     * @param missing the missing buckets, in order
     */
    public record Level(int level, long rows, List<Range> missing) {
        public Level {
            missing = List.copyOf(missing);
        }
    }

    /** Buckets from the first to the last, both included. */
    public record Range(long first, long last) {
        public long size() {
            return last - first + 1;
        }

        @Override
        public String toString() {
            return first == last ? Long.toString(first) : first + " to " + last;
        }
    }
}
