package dev.spream.storage.jdbc;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;

import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The progress of partitions, and the partitions that follow them. Each write locks the row of its lease and evaluates
 * its conditions on the locked row; everything else that it reads is final: a child that is stored, or was removed,
 * stays so.
 */
record WatermarkWrites(Database database, String subscription) {
    /** Locks the row of a lease; its five parameters are those of {@link #bind}. */
    private static final String HELD = """
            held AS MATERIALIZED (
                SELECT * FROM @partitions
                WHERE subscription = ? AND token_hash = %s AND token = ? AND owner = ? AND epoch = ?
                FOR NO KEY UPDATE
            )""".formatted(PartitionRow.hashOf("?"));

    private static final String ADD_CHILDREN = """
            WITH %s, parent AS (
                SELECT subscription FROM held WHERE state = 'RUNNING'
            ), added AS (
                INSERT INTO @partitions
                    (subscription, token_hash, token, parent_tokens, start_timestamp, watermark, state, created_at)
                SELECT parent.subscription, child.token_hash, child.token, child.parents::text[],
                    record.start_timestamp, record.start_timestamp, 'CREATED', clock_timestamp()
                FROM parent,
                    (SELECT ?::numeric AS start_timestamp) AS record,
                    (SELECT %s AS token_hash, token, parents
                        FROM unnest(?::text[], ?::text[]) AS c(token, parents)) AS child
                WHERE NOT EXISTS (SELECT FROM @partitions p
                    WHERE p.subscription = parent.subscription AND p.token_hash = child.token_hash)
                ORDER BY child.token_hash
                ON CONFLICT DO NOTHING
            )
            SELECT subscription FROM parent""".formatted(HELD, PartitionRow.hashOf("token"));

    /**
     * Moves watermarks forward. Destinations at the stored watermark are added in the order of {@link MoveOuts#and}, and
     * sequences are compared by their bytes, whatever the collation of the database is.
     */
    static final String ADVANCE = """
            WITH advance AS MATERIALIZED (
                SELECT %s AS token_hash, a.token, a.owner, a.epoch, a.advanced, a.sequence,
                    a.destinations::text[] AS destinations
                FROM unnest(?::text[], ?::text[], ?::bigint[], ?::numeric[], ?::text[], ?::text[])
                    AS a(token, owner, epoch, advanced, sequence, destinations)
                ORDER BY token_hash
            ), held AS MATERIALIZED (
                SELECT locked.*, advance.advanced, advance.sequence, advance.destinations
                FROM advance CROSS JOIN LATERAL (
                    SELECT p.token_hash, p.token, p.owner, p.epoch FROM @partitions p
                    WHERE p.token_hash = advance.token_hash AND p.subscription = ?
                        AND p.token = advance.token AND p.owner = advance.owner AND p.epoch = advance.epoch
                        AND p.state = 'RUNNING'
                    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS locked
            ), moved AS (
                UPDATE @partitions p SET
                    watermark = held.advanced,
                    move_out_sequence = CASE
                        WHEN p.watermark < held.advanced THEN held.sequence
                        ELSE greatest(p.move_out_sequence COLLATE "C", held.sequence COLLATE "C") END,
                    move_out_destinations = CASE
                        WHEN p.watermark < held.advanced THEN held.destinations
                        ELSE ARRAY(
                            SELECT named.token
                            FROM unnest(p.move_out_destinations || held.destinations) WITH ORDINALITY AS named(token, place)
                            GROUP BY named.token ORDER BY min(named.place)) END
                FROM held
                WHERE p.token_hash = held.token_hash AND p.subscription = ?
                    AND (p.watermark < held.advanced OR p.watermark = held.advanced AND held.sequence IS NOT NULL)
            )
            SELECT token, owner, epoch FROM held""".formatted(PartitionRow.hashOf("a.token"));

    private static final String WAIT_FOR_MOVE_IN = """
            UPDATE @partitions SET
                move_in_timestamp = ?::numeric, move_in_sources = ?::text[], changed_in = pg_current_xact_id()
            WHERE subscription = ? AND token_hash = %s AND token = ? AND owner = ? AND epoch = ? AND state = 'RUNNING'""".formatted(PartitionRow.hashOf("?"));

    private static final String ACCEPT_GAP = """
            WITH %s, gap AS (
                SELECT ?::numeric AS gap_start, ?::numeric AS gap_end
            ), running AS MATERIALIZED (
                SELECT held.subscription, held.token_hash, held.watermark, gap.*,
                    EXISTS (SELECT FROM unnest(held.gap_starts, held.gap_ends) AS g(gap_start, gap_end)
                        WHERE g.gap_start = gap.gap_start AND g.gap_end = gap.gap_end) AS known
                FROM held, gap WHERE held.state = 'RUNNING'
            ), accepted AS (
                UPDATE @partitions p SET
                    gap_starts = p.gap_starts || r.gap_start, gap_ends = p.gap_ends || r.gap_end, watermark = r.gap_end,
                    move_out_sequence = NULL, move_out_destinations = NULL, changed_in = pg_current_xact_id()
                FROM running r
                WHERE p.subscription = r.subscription AND p.token_hash = r.token_hash
                    AND NOT r.known AND r.watermark = r.gap_start
            )
            SELECT watermark, known OR watermark = gap_start AS accepted FROM running""".formatted(HELD);

    private static final String FINISH = """
            WITH %s, proof AS (
                SELECT ?::text AS kind, ?::numeric AS ends_at, ?::text[] AS children, ?::numeric AS watermark
            ), missing AS MATERIALIZED (
                SELECT child FROM proof, unnest(proof.children) AS child
                WHERE proof.kind <> 'PARTITION_END' AND NOT EXISTS (SELECT FROM @partitions p
                    WHERE p.subscription = ? AND p.token_hash = %s AND p.token = child)
            ), finished AS (
                UPDATE @partitions p SET
                    state = 'FINISHED', finished_at = clock_timestamp(), lease_until = NULL,
                    watermark = greatest(p.watermark, proof.watermark),
                    move_out_sequence = CASE WHEN p.watermark >= proof.watermark THEN p.move_out_sequence END,
                    move_out_destinations = CASE WHEN p.watermark >= proof.watermark THEN p.move_out_destinations END,
                    end_kind = proof.kind, end_timestamp = proof.ends_at, end_children = proof.children,
                    changed_in = pg_current_xact_id()
                FROM held, proof
                WHERE p.subscription = held.subscription AND p.token_hash = held.token_hash
                    AND held.state = 'RUNNING' AND NOT EXISTS (SELECT FROM missing)
            )
            SELECT state, ARRAY(SELECT child FROM missing) AS missing FROM held""".formatted(HELD, PartitionRow.hashOf("child"));

    /**
     * Adds the children in the order of their keys, so that the parents of a merge, which add the same children, do not
     * deadlock.
     */
    boolean addChildren(PartitionLease parent, ChildPartitionsRecord children) {
        List<ChildPartition> added = children.childPartitions();
        return !database.rows(
                        what("adding %d children of".formatted(added.size()), parent),
                        ADD_CHILDREN,
                        p -> bind(p, parent)
                                .decimal(JdbcTimestamps.exact(children.startTimestamp()))
                                .texts(added, ChildPartition::token)
                                .texts(added, child -> Parameters.arrayText(child.parentTokens())),
                        row -> row.getString("subscription"))
                .isEmpty();
    }

    Set<PartitionToken> advance(Collection<WatermarkAdvance> advances) {
        if (advances.isEmpty()) {
            return Set.of();
        }
        Map<LeaseKey, Advanced> latest =
                advances.stream().collect(toMap(advance -> LeaseKey.of(advance.lease()), Advanced::of, Advanced::and));
        String what = "advancing %d watermarks of subscription '%s'".formatted(latest.size(), subscription);
        return new UnlockedRows(database, subscription)
                .each(what, List.copyOf(latest.keySet()), UnlockedRows.RUNNING, UnlockedRows.TIMEOUT, asked -> {
                    List<Advanced> advanced = asked.stream()
                            .map(holding -> requireNonNull(latest.get(holding)))
                            .toList();
                    return database.rows(
                            what,
                            ADVANCE,
                            p -> Advanced.bind(LeaseKey.bind(p, asked), advanced)
                                    .text(subscription)
                                    .text(subscription),
                            LeaseKey::read);
                });
    }

    boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
        return database.update(
                        what("storing a move-in of", lease),
                        WAIT_FOR_MOVE_IN,
                        p -> bind(
                                p.decimal(JdbcTimestamps.exact(moveIn.timestamp()))
                                        .texts(moveIn.sources(), PartitionToken::value),
                                lease))
                == 1;
    }

    boolean acceptGap(PartitionLease lease, PartitionGap gap) {
        List<GapOutcome> outcome = database.rows(
                what("accepting a gap of", lease),
                ACCEPT_GAP,
                p -> bind(p, lease).decimal(JdbcTimestamps.exact(gap.from())).decimal(JdbcTimestamps.exact(gap.to())),
                row -> new GapOutcome(PartitionRow.instant(row, "watermark"), row.getBoolean("accepted")));
        outcome.forEach(found -> found.requireAccepted(lease, gap));
        return !outcome.isEmpty();
    }

    boolean finish(PartitionLease lease, Instant watermark, PartitionEnd proof) {
        List<FinishOutcome> outcome = database.rows(
                what("finishing", lease),
                FINISH,
                p -> bind(p, lease)
                        .text(proof.kind().name())
                        .decimal(JdbcTimestamps.exact(proof.at()))
                        .texts(proof.children(), PartitionToken::value)
                        .decimal(JdbcTimestamps.exact(watermark))
                        .text(subscription),
                row -> new FinishOutcome(
                        PartitionState.valueOf(row.getString("state")), Parameters.texts(row, "missing")));
        outcome.forEach(found -> found.requirePossible(lease));
        return !outcome.isEmpty();
    }

    private String what(String verb, PartitionLease lease) {
        return "%s partition %s of subscription '%s'"
                .formatted(verb, lease.token().abbreviated(), subscription);
    }

    private Parameters bind(Parameters parameters, PartitionLease lease) throws SQLException {
        String token = lease.token().value();
        return parameters
                .text(subscription)
                .text(token)
                .text(token)
                .text(lease.owner().value())
                .number(lease.epoch());
    }

    /** A watermark and its move-outs, of one advance or of several of one partition. */
    record Advanced(Instant watermark, Optional<MoveOuts> moveOuts) {
        static Advanced of(WatermarkAdvance advance) {
            return new Advanced(advance.watermark(), advance.moveOuts());
        }

        /** Returns the later of the two; where they are at one timestamp, the move-outs of both. */
        Advanced and(Advanced next) {
            int order = watermark.compareTo(next.watermark);
            if (order != 0) {
                return order > 0 ? this : next;
            }
            return new Advanced(
                    watermark,
                    moveOuts.map(mine -> next.moveOuts.map(mine::and).orElse(mine))
                            .or(next::moveOuts));
        }

        /** Binds three arrays: watermarks, record sequences, and destinations as array texts. */
        static Parameters bind(Parameters parameters, List<Advanced> advanced) throws SQLException {
            return parameters
                    .decimals(advanced, one -> JdbcTimestamps.exact(one.watermark))
                    .optionalTexts(advanced, one -> one.moveOuts.map(MoveOuts::recordSequence))
                    .optionalTexts(
                            advanced,
                            one -> one.moveOuts.map(moved -> Parameters.arrayText(moved.destinations().stream()
                                    .map(PartitionToken::value)
                                    .toList())));
        }
    }

    private record GapOutcome(Instant watermark, boolean accepted) {
        void requireAccepted(PartitionLease lease, PartitionGap gap) {
            if (!accepted) {
                throw new IllegalArgumentException(
                        "partition %s: a gap from %s cannot be accepted because the stored watermark is %s; nothing was changed"
                                .formatted(lease.token().abbreviated(), gap.from(), watermark));
            }
        }
    }

    private record FinishOutcome(PartitionState before, List<String> missing) {
        void requirePossible(PartitionLease lease) {
            if (before == PartitionState.FINISHED) {
                return;
            }
            if (!missing.isEmpty()) {
                throw new IllegalArgumentException(
                        "partition %s cannot finish because its children %s are not stored; nothing was changed"
                                .formatted(
                                        lease.token().abbreviated(),
                                        missing.stream()
                                                .map(child -> new PartitionToken(child).abbreviated())
                                                .collect(joining(", "))));
            }
            if (!before.canBecome(PartitionState.FINISHED)) {
                throw new IllegalArgumentException("partition %s cannot go from %s to FINISHED; nothing was changed"
                        .formatted(lease.token().abbreviated(), before));
            }
        }
    }
}
