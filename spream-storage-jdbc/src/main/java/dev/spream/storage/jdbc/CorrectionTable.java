package dev.spream.storage.jdbc;

import dev.spream.core.partition.AuditedCorrection;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.CorrectionPlan;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.internal.Transactions;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The corrections of a subscription and their audit. A correction is a transaction of several statements. It locks, in
 * this order, the registrations of workers, the subscription and its unfinished partitions, so that no worker registers
 * or acquires meanwhile; other calls wait for it for as long as the statements take.
 */
record CorrectionTable(Database database, String subscription) {
    /** Blocks registrations, but no reads. */
    private static final String LOCK_WORKERS = "LOCK TABLE @workers IN SHARE MODE";

    private static final String LOCK_PARTITIONS = """
            SELECT token_hash FROM @partitions WHERE subscription = ? AND state <> 'FINISHED'
            ORDER BY token_hash FOR UPDATE""";

    private static final String REMOVE_ALL = "DELETE FROM @partitions WHERE subscription = ?";

    private static final String REMOVE = """
            DELETE FROM @partitions WHERE subscription = ? AND token_hash IN
                (SELECT %s FROM unnest(?::text[]) AS r(token))""".formatted(PartitionRow.hashOf("r.token"));

    private static final String ADD = """
            INSERT INTO @partitions
                (subscription, token_hash, token, parent_tokens, state, epoch, start_timestamp, watermark, created_at,
                 gap_starts, gap_ends, end_kind, end_timestamp, end_children, finished_at,
                 move_in_timestamp, move_in_sources, move_out_sequence, move_out_destinations)
            SELECT ?, %s, a.token, a.parents::text[], a.state, a.epoch, a.start_timestamp, a.watermark,
                clock_timestamp(), a.gap_starts::numeric[], a.gap_ends::numeric[],
                a.end_kind, a.end_timestamp, a.end_children::text[],
                CASE WHEN a.end_kind IS NOT NULL THEN clock_timestamp() END,
                a.move_in_timestamp, a.move_in_sources::text[], a.move_out_sequence, a.move_out_destinations::text[]
            FROM unnest(?::text[], ?::text[], ?::text[], ?::bigint[], ?::numeric[], ?::numeric[], ?::text[], ?::text[],
                    ?::text[], ?::numeric[], ?::text[], ?::numeric[], ?::text[], ?::text[], ?::text[])
                AS a(token, parents, state, epoch, start_timestamp, watermark, gap_starts, gap_ends,
                    end_kind, end_timestamp, end_children, move_in_timestamp, move_in_sources,
                    move_out_sequence, move_out_destinations)""".formatted(PartitionRow.hashOf("a.token"));

    /** Changes rows, those that clean-up removed included. Move-outs are of the stored watermark, and fall with it. */
    private static final String CHANGE = """
            WITH written AS MATERIALIZED (
                SELECT %s AS token_hash, w.*
                FROM unnest(?::text[], ?::text[], ?::bigint[], ?::numeric[], ?::numeric[], ?::text[], ?::text[])
                    AS w(token, state, epoch, start_timestamp, watermark, gap_starts, gap_ends)
            )
            UPDATE @partitions p SET
                state = w.state, epoch = w.epoch, start_timestamp = w.start_timestamp, watermark = w.watermark,
                gap_starts = w.gap_starts::numeric[], gap_ends = w.gap_ends::numeric[],
                owner = NULL, lease_until = NULL,
                move_out_sequence = CASE WHEN p.watermark = w.watermark THEN p.move_out_sequence END,
                move_out_destinations = CASE WHEN p.watermark = w.watermark THEN p.move_out_destinations END,
                end_kind = NULL, end_timestamp = NULL, end_children = NULL, finished_at = NULL, removed_at = NULL
            FROM written w WHERE p.subscription = ? AND p.token_hash = w.token_hash AND p.token = w.token""".formatted(PartitionRow.hashOf("w.token"));

    private static final String AUDIT = """
            INSERT INTO @subscription_corrections (subscription, number, corrected_at, actor, reason, change)
            SELECT ?, count(*) + 1, clock_timestamp(), ?, ?, ?
            FROM @subscription_corrections WHERE subscription = ?""";

    private static final String SELECT =
            "SELECT * FROM @subscription_corrections WHERE subscription = ? ORDER BY number";

    CorrectionOutcome correct(Correction correction, CorrectionAct act) {
        String what = "correcting subscription '%s'".formatted(subscription);
        Transactions transactions = database.transactions();
        try {
            return transactions.run(connection -> {
                Statements.execute(connection, transactions.begin());
                return correct(database.statements(connection), correction, act);
            });
        } catch (SQLException e) {
            throw SqlErrors.storageException(what, e);
        }
    }

    private CorrectionOutcome correct(Statements statements, Correction correction, CorrectionAct act)
            throws SQLException {
        statements.update(LOCK_WORKERS, p -> {});
        SubscriptionTable subscriptions = new SubscriptionTable(database, subscription);
        Optional<SubscriptionRecord> stored = subscriptions.lock(statements);
        if (stored.isEmpty()) {
            return CorrectionOutcome.nothingStored();
        }
        statements.rows(LOCK_PARTITIONS, p -> p.text(subscription), row -> row.getBytes("token_hash"));
        PartitionTable partitions = new PartitionTable(database, subscription);
        Lineage lineage = partitions.lineage(statements);
        CorrectionOutcome outcome = correction.plan(
                stored.get(),
                lineage,
                partitions.proofs(statements),
                new WorkerTable(database, subscription).list(statements));
        if (outcome instanceof CorrectionOutcome.Planned planned
                && !planned.plan().changesNothing()) {
            write(statements, subscriptions, planned.plan());
            audit(statements, act, planned.plan().change());
        }
        return outcome;
    }

    private void write(Statements statements, SubscriptionTable subscriptions, CorrectionPlan plan)
            throws SQLException {
        subscriptions.store(statements, plan.after());
        if (plan.removesAll()) {
            statements.update(REMOVE_ALL, p -> p.text(subscription));
        } else {
            remove(statements, plan.removed());
        }
        add(statements, plan.written().stream().filter(plan::isNew).toList());
        change(
                statements,
                plan.written().stream()
                        .filter(partition -> !plan.isNew(partition))
                        .toList());
    }

    private void remove(Statements statements, Collection<PartitionToken> removed) throws SQLException {
        if (!removed.isEmpty()) {
            statements.update(REMOVE, p -> p.text(subscription).texts(List.copyOf(removed), PartitionToken::value));
        }
    }

    private void add(Statements statements, List<PartitionMetadata> added) throws SQLException {
        if (!added.isEmpty()) {
            statements.update(
                    ADD,
                    p -> p.text(subscription)
                            .texts(added, partition -> partition.token().value())
                            .texts(added, partition -> tokens(partition.parentTokens()))
                            .texts(added, partition -> partition.state().name())
                            .numbers(added, PartitionMetadata::epoch)
                            .decimals(added, partition -> JdbcTimestamps.exact(partition.startTimestamp()))
                            .decimals(added, partition -> JdbcTimestamps.exact(partition.watermark()))
                            .texts(added, partition -> times(partition, PartitionGap::from))
                            .texts(added, partition -> times(partition, PartitionGap::to))
                            .optionalTexts(
                                    added,
                                    partition -> partition
                                            .endProof()
                                            .map(end -> end.kind().name()))
                            .optionalDecimals(
                                    added, partition -> partition.endProof().map(end -> JdbcTimestamps.exact(end.at())))
                            .optionalTexts(
                                    added, partition -> partition.endProof().map(end -> tokens(end.children())))
                            .optionalDecimals(
                                    added,
                                    partition ->
                                            partition.moveIn().map(moveIn -> JdbcTimestamps.exact(moveIn.timestamp())))
                            .optionalTexts(
                                    added, partition -> partition.moveIn().map(moveIn -> tokens(moveIn.sources())))
                            .optionalTexts(
                                    added, partition -> partition.moveOuts().map(MoveOuts::recordSequence))
                            .optionalTexts(
                                    added,
                                    partition -> partition.moveOuts().map(moved -> tokens(moved.destinations()))));
        }
    }

    private static String tokens(List<PartitionToken> tokens) {
        return Parameters.arrayText(tokens.stream().map(PartitionToken::value).toList());
    }

    private void change(Statements statements, List<PartitionMetadata> written) throws SQLException {
        if (written.isEmpty()) {
            return;
        }
        statements.update(
                CHANGE,
                p -> p.texts(written, partition -> partition.token().value())
                        .texts(written, partition -> partition.state().name())
                        .numbers(written, PartitionMetadata::epoch)
                        .decimals(written, partition -> JdbcTimestamps.exact(partition.startTimestamp()))
                        .decimals(written, partition -> JdbcTimestamps.exact(partition.watermark()))
                        .texts(written, partition -> times(partition, PartitionGap::from))
                        .texts(written, partition -> times(partition, PartitionGap::to))
                        .text(subscription));
    }

    private static String times(PartitionMetadata partition, Function<PartitionGap, Instant> time) {
        Stream<BigDecimal> exact = partition.gaps().stream().map(time).map(JdbcTimestamps::exact);
        return Parameters.arrayText(exact.map(BigDecimal::toPlainString).toList());
    }

    private void audit(Statements statements, CorrectionAct act, String change) throws SQLException {
        statements.update(
                AUDIT,
                p -> p.text(subscription)
                        .text(Parameters.storable(act.actor()))
                        .text(Parameters.storable(act.reason()))
                        .text(change)
                        .text(subscription));
    }

    List<AuditedCorrection> list() {
        return database.rows(
                "reading the corrections of subscription '%s'".formatted(subscription),
                SELECT,
                p -> p.text(subscription),
                row -> new AuditedCorrection(
                        JdbcTimestamps.clock(row, "corrected_at"),
                        new CorrectionAct(row.getString("actor"), row.getString("reason")),
                        row.getString("change")));
    }
}
