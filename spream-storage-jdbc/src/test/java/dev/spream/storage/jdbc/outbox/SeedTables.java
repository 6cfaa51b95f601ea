package dev.spream.storage.jdbc.outbox;

/** Tables as created by workers before spream. */
final class SeedTables {
    static final String OUTBOX = """
            CREATE TABLE public.outbox_orders (
                id bigserial PRIMARY KEY,
                idempotency_key text UNIQUE,
                order_request_json jsonb,
                request_digest text,
                status text,
                attempts int DEFAULT 0,
                last_error_code text,
                last_error_msg text,
                locked_by text,
                locked_at timestamptz,
                created_at timestamptz DEFAULT now(),
                updated_at timestamptz DEFAULT now(),
                expires_at timestamptz)""";

    static final String LEDGER = """
            CREATE TABLE public.idempo_ledger (
                idempotency_key text PRIMARY KEY,
                request_digest text NOT NULL,
                status text NOT NULL,
                http_status int,
                response_payload_json jsonb,
                created_at timestamptz DEFAULT now(),
                updated_at timestamptz DEFAULT now())""";

    /** The optional column and index in the documentation of those workers. */
    static final String NEXT_RUN_AT = """
            ALTER TABLE public.outbox_orders ADD COLUMN IF NOT EXISTS next_run_at timestamptz;
            CREATE INDEX IF NOT EXISTS idx_outbox_status_next_run ON public.outbox_orders (status, next_run_at)""";

    /** Entries in every status, some of them twice: recent and abandoned. */
    static final String ROWS = """
            INSERT INTO public.outbox_orders
                (id, idempotency_key, order_request_json, request_digest, status, attempts, last_error_code, locked_by, locked_at)
            VALUES
                (11, 'pending', '{"n":1}', 'd1', 'pending', 0, NULL, NULL, NULL),
                (12, 'sending', '{"n":2}', 'd2', 'sending', 1, 'REJECTED', 'host:1', now() - interval '1 day'),
                (13, 'sending now', '{"n":3}', 'd3', 'sending', 0, NULL, 'host:1', now()),
                (14, 'failed', '{"n":4}', 'd4', 'failed', 2, 'RATE_LIMITED', NULL, NULL),
                (15, 'failed unknown', '{"n":5}', 'd5', 'failed', 2, 'TIMEOUT', NULL, NULL),
                (16, 'succeeded', '{"n":6}', 'd6', 'succeeded', 0, NULL, NULL, NULL),
                (17, 'aborted', '{"n":7}', 'd7', 'aborted', 6, 'REJECTED', NULL, NULL),
                (18, 'requeued', '{"n":8}', 'd8', 'pending', 0, NULL, NULL, NULL),
                (19, 'late', '{"n":9}', 'd9', 'failed', 6, 'REJECTED', NULL, NULL),
                (20, 'other', '{"n":10}', 'd10', 'pending', 0, NULL, NULL, NULL),
                (21, 'no digest', '{"n":11}', NULL, 'pending', 0, NULL, NULL, NULL);
            SELECT setval('public.outbox_orders_id_seq', 30)""";

    /** Ledger rows of some of them, and of a request without an entry. */
    static final String LEDGER_ROWS = """
            INSERT INTO public.idempo_ledger (idempotency_key, request_digest, status, http_status, response_payload_json)
            VALUES
                ('succeeded', 'd6', 'succeeded', 200, '{"order":6}'),
                ('requeued', 'd8', 'failed', 502, NULL),
                ('late', 'd9', 'succeeded', 200, '{"order":9}'),
                ('other', 'not d10', 'succeeded', 200, '{"order":10}'),
                ('old', 'd0', 'succeeded', 200, '{"order":0}')""";

    private SeedTables() {}
}
