package dev.spream.storage.jdbc.lock;

import static java.util.Objects.requireNonNull;

import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.LockBusyException;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockException;
import dev.spream.lock.provisioning.BucketLayout;
import dev.spream.lock.provisioning.BucketProvisioning;
import dev.spream.lock.provisioning.BucketSpaceCheck;
import dev.spream.lock.provisioning.BucketSpaceCheck.Range;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.lock.dialect.LockTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * A {@link BucketProvisioning} of a database. Each chunk is a transaction of its own that locks the record of the
 * layout, creates the next buckets and records its progress. The caller owns the data source.
 */
final class JdbcBucketProvisioning implements BucketProvisioning {
    public static final int DEFAULT_CHUNK = 10_000;
    public static final int MAX_CHUNK = 100_000;

    private final LockTables tables;
    private final BucketSpaceTable space;
    private final BucketRows rows;
    private final boolean migrate;
    private final AskedLayout asked;
    private final int chunk;

    /** The layout recorded before it was cleared; values that are not requested are kept from it. */
    private Optional<BucketLayout> cleared = Optional.empty();

    private JdbcBucketProvisioning(
            DataSource dataSource, LockTables tables, boolean migrate, AskedLayout asked, int chunk) {
        this.tables = tables;
        this.space = new BucketSpaceTable(tables, dataSource);
        this.rows = new BucketRows(tables);
        this.migrate = migrate;
        this.asked = asked;
        this.chunk = chunk;
    }

    /**
     * Returns the provisioning of that schema.
     *
     * @param schema empty for the default, the schema {@code spream}, or the database of the URL
     * @param migrate whether provisioning creates the tables where needed
     * @param chunk the number of rows that a transaction creates, 1 to {@value #MAX_CHUNK}
     */
    static JdbcBucketProvisioning of(
            DataSource dataSource, Optional<String> schema, boolean migrate, AskedLayout asked, int chunk) {
        if (chunk < 1 || chunk > MAX_CHUNK) {
            throw new IllegalArgumentException("chunk is %d, must be 1 to %d".formatted(chunk, MAX_CHUNK));
        }
        return new JdbcBucketProvisioning(
                requireNonNull(dataSource, "dataSource"),
                BucketSpaceTable.tables(dataSource, schema),
                migrate,
                asked,
                chunk);
    }

    @Override
    public BucketLayout layout() {
        return layout(tables.exist() ? space.recorded() : Optional.empty());
    }

    private BucketLayout layout(Optional<BucketSpaceTable.Recorded> recorded) {
        return space.layout(
                asked, recorded.map(BucketSpaceTable.Recorded::layout).or(() -> cleared));
    }

    @Override
    public Provisioned provision(Progress progress) throws InterruptedException {
        try {
            return provisionAll(progress);
        } catch (LockConnectionException e) {
            requireNotInterrupted(); // an interrupted pool reports that it has no connection
            throw e;
        }
    }

    private Provisioned provisionAll(Progress progress) throws InterruptedException {
        tables.ensure(migrate);
        if (!asked.hasRows()) {
            space.requireRecordOfBuckets();
        }
        Optional<BucketSpaceTable.Recorded> recorded = space.recorded();
        BucketLayout layout = layout(recorded);
        if (recorded.isEmpty()) {
            requireBucketsMeant(layout);
        }
        BucketLayouts.strategy(layout).in(tables); // fails if the server does not support it
        space.record(layout);
        long made = 0;
        Chunk last;
        do {
            requireNotInterrupted();
            last = makeNext(layout);
            made += last.made();
            progress.reached(last.done(), BucketLayouts.rows(layout));
        } while (last.done() < BucketLayouts.rows(layout));
        return new Provisioned(layout, BucketLayouts.rows(layout), made + makeMissing(layout));
    }

    private void requireBucketsMeant(BucketLayout layout) {
        if (asked.hasOnlyBuckets(layout)) {
            throw new BucketSpaceException(
                    "the locks in %s would be advisory locks, which need no buckets; nothing was changed. Omit the buckets, or add --strategy rows"
                            .formatted(tables.place()),
                    null);
        }
    }

    /**
     * @param made the number of buckets that were created
     * @param done the number of buckets that exist now, starting with the first
     */
    private record Chunk(int made, long done) {}

    private Chunk makeNext(BucketLayout layout) {
        return space.run("creating lock buckets in " + tables.place(), connection -> {
            BucketSpaceTable.Recorded recorded = space.lock(connection).orElseThrow(this::removed);
            space.requireSame(layout, recorded);
            if (recorded.isComplete()) {
                return new Chunk(0, BucketLayouts.rows(layout));
            }
            long buckets = layout.space().buckets();
            int level = Math.toIntExact(recorded.provisioned() / buckets);
            long first = recorded.provisioned() % buckets;
            Range range = new Range(first, Math.min(first + chunk, buckets) - 1);
            int made = rows.make(connection, level, range);
            long done = recorded.provisioned() + range.size();
            new Statements(connection, tables::in)
                    .update("UPDATE @hier_lock_space SET provisioned = ? WHERE id = 1", p -> p.number(done));
            return new Chunk(made, done);
        });
    }

    private BucketSpaceException removed() {
        return new BucketSpaceException(
                "the recorded lock layout of %s was removed in the meantime; find the process that removed it, and run this command again"
                        .formatted(tables.place()),
                null);
    }

    /** Creates rows again that were deleted after their creation. */
    private long makeMissing(BucketLayout layout) throws InterruptedException {
        long made = 0;
        for (BucketSpaceCheck.Level level : levels(layout, (done, all) -> {})) {
            for (Range missing : level.missing()) {
                for (Range part : parts(missing, chunk)) {
                    requireNotInterrupted();
                    made += space.run(
                            "creating lock buckets in " + tables.place(),
                            connection -> rows.make(connection, level.level(), part));
                }
            }
        }
        return made;
    }

    @Override
    public void clear() {
        if (!tables.exist()) {
            return;
        }
        Optional<BucketSpaceTable.Recorded> before = space.recorded();
        requireBucketsMeant(layout(before));
        Optional<BucketLayout> recorded = before.map(BucketSpaceTable.Recorded::layout);
        space.run("removing the lock buckets in " + tables.place(), tables::clear)
                .ifPresent(holders -> {
                    throw new LockBusyException(
                            "the buckets of %s cannot be recreated: %s. Nothing was changed; stop every process that locks there, and try again"
                                    .formatted(tables.place(), holders),
                            null);
                });
        cleared = recorded;
    }

    @Override
    public BucketSpaceCheck check(Progress progress) throws InterruptedException {
        boolean exist = tables.exist();
        Optional<BucketSpaceTable.Recorded> recorded = exist ? space.recorded() : Optional.empty();
        BucketLayout layout = layout(recorded);
        List<BucketSpaceCheck.Level> levels =
                recorded.isPresent() ? levels(recorded.get().layout(), progress) : List.of();
        LockTables.Facts facts = space.run(
                "inspecting the server of the locks",
                connection -> tables.facts(connection, BucketLayouts.strategy(layout) == LockStrategy.ADVISORY));
        List<String> problems = new ArrayList<>(facts.problems());
        recorded.flatMap(found -> unusable(found.layout())).ifPresent(problems::add);
        Optional<String> lost = exist && recorded.isEmpty() ? space.lostRecord() : Optional.empty();
        lost.ifPresentOrElse(
                problems::add,
                () -> problems.addAll(
                        new LayoutProblems(tables.place(), tables.schema()).of(layout, exist, recorded, levels)));
        if (exist && facts.problems().isEmpty()) {
            problems.addAll(new LockTableProbes(tables, space).problems(BucketLayouts.strategy(layout)));
        }
        return new BucketSpaceCheck(
                "%s, %s".formatted(space.run("reading the server's version", tables::server), tables.place()),
                recorded.map(BucketSpaceTable.Recorded::layout),
                levels,
                facts.facts(),
                problems);
    }

    /** Returns the reason for which a store would reject the server. */
    private Optional<String> unusable(BucketLayout layout) {
        try {
            BucketLayouts.strategy(layout).in(tables);
            return Optional.empty();
        } catch (LockException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private List<BucketSpaceCheck.Level> levels(BucketLayout layout, Progress progress) throws InterruptedException {
        List<BucketSpaceCheck.Level> levels = new ArrayList<>();
        if (BucketLayouts.strategy(layout) == LockStrategy.ROWS) {
            for (int level = 0; level < layout.space().levels(); level++) {
                levels.add(level(layout, level, progress));
            }
        }
        return levels;
    }

    /** Counts the rows in ranges, so that no statement takes long. */
    private BucketSpaceCheck.Level level(BucketLayout layout, int level, Progress progress)
            throws InterruptedException {
        long buckets = layout.space().buckets();
        List<Range> missing = new ArrayList<>();
        for (Range part : parts(new Range(0, buckets - 1), MAX_CHUNK)) {
            requireNotInterrupted();
            space.run("counting lock buckets in " + tables.place(), connection -> rows.missing(connection, level, part))
                    .forEach(range -> append(missing, range));
            progress.reached(level * buckets + part.last() + 1, BucketLayouts.rows(layout));
        }
        return new BucketSpaceCheck.Level(
                level, buckets - missing.stream().mapToLong(Range::size).sum(), missing);
    }

    private static void append(List<Range> ranges, Range next) {
        if (!ranges.isEmpty() && ranges.getLast().last() + 1 == next.first()) {
            Range before = ranges.removeLast();
            ranges.add(new Range(before.first(), next.last()));
        } else {
            ranges.add(next);
        }
    }

    private static List<Range> parts(Range range, int size) {
        List<Range> parts = new ArrayList<>();
        for (long first = range.first(); first <= range.last(); first += size) {
            parts.add(new Range(first, Math.min(first + size - 1, range.last())));
        }
        return parts;
    }

    private static void requireNotInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    @Override
    public void close() {}
}
