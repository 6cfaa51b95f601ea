package dev.spream.storage.jdbc.lock;

import dev.spream.lock.provisioning.BucketLayout;
import dev.spream.lock.provisioning.BucketSpaceCheck.Level;
import dev.spream.lock.provisioning.BucketSpaceCheck.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Reports the problems of the layout of the locks in a schema, with their remedies. */
record LayoutProblems(String place, String schema) {
    private static final int MAX_SHOWN = 5;

    List<String> of(
            BucketLayout asked, boolean exist, Optional<BucketSpaceTable.Recorded> recorded, List<Level> levels) {
        if (recorded.isEmpty()) {
            return unrecorded(asked, exist).stream().toList();
        }
        List<String> problems = new ArrayList<>();
        BucketSpaceTable.Recorded space = recorded.get();
        if (!space.layout().equals(asked)) {
            problems.add(
                    "the locks in %s are %s, but %s is requested; request the recorded layout, or stop every process that locks there and run %s --recreate"
                            .formatted(place, space.layout(), asked, BucketLayouts.command(asked, schema)));
        }
        if (!space.isComplete()) {
            problems.add("%d of %d buckets were created; continue: %s"
                    .formatted(
                            space.provisioned(),
                            BucketLayouts.rows(space.layout()),
                            BucketLayouts.command(space.layout(), schema)));
        }
        levels.stream()
                .filter(level -> space.isComplete() && !level.missing().isEmpty())
                .map(level -> missing(space.layout(), level))
                .forEach(problems::add);
        return problems;
    }

    /** Advisory locks need only the tables: the first store that opens records their layout. */
    private Optional<String> unrecorded(BucketLayout asked, boolean exist) {
        String command = BucketLayouts.command(asked, schema);
        if (BucketLayouts.strategy(asked) == LockStrategy.ROWS) {
            return Optional.of("%s has no buckets; create them: %s".formatted(place, command));
        }
        return exist
                ? Optional.empty()
                : Optional.of(
                        "%s has no tables of hierarchical locks; create them: %s. If they should exist, check --url and --schema"
                                .formatted(place, command));
    }

    private String missing(BucketLayout layout, Level level) {
        List<Range> missing = level.missing();
        String shown = missing.stream().limit(MAX_SHOWN).map(Range::toString).collect(Collectors.joining(", "));
        return "level %d lacks %d of %d buckets (%s%s), which were deleted; create them again: %s"
                .formatted(
                        level.level(),
                        layout.space().buckets() - level.rows(),
                        layout.space().buckets(),
                        shown,
                        missing.size() > MAX_SHOWN ? " and %d more ranges".formatted(missing.size() - MAX_SHOWN) : "",
                        BucketLayouts.command(layout, schema));
    }
}
