package dev.spream.browser;

import java.util.List;

/** The answers of all panels, as a process might give them. */
final class SamplePanels {
    static final String IDENTITY = "2026-01-01T00:00:01Z/tx1/00000001";
    static final String LAG = """
            {"step_seconds":5,
             "times":["2026-01-01T00:00:00Z","2026-01-01T00:00:05Z","2026-01-01T00:00:10Z"],
             "partitions":[{"token":"slow","lag":[4.0,5.0,9.0]},{"token":"fast","lag":[null,0.5,0.25]}],
             "others":3,"others_most":[2.0,null,1.5],"others_least":[0.5,null,0.1],"not_kept":2}""";
    private static final String LETTERS = """
            {"panel":"dead-letters","now":"2026-01-01T01:00:00Z","read_at":"2026-01-01T01:00:00Z","read_age_seconds":0,
             "state":{"open":60,"failed":59,"overtaken":0,"parked":1,"behind_parked":0,"parked_keys":1,
             "causes":{"java.io.IOException":1},"replay":{"running":false},
             "letters":[{"identity":"%s","commit_timestamp":"2026-01-01T00:00:01Z","table_name":"Orders",
             "reason":"parked","overtaken":false,"undecodable":false,"set_aside_at":"2026-01-01T00:30:00Z","attempts":3,
             "error_class":"java.io.IOException"}]}}""".formatted(IDENTITY);
    private static final String OUTBOX = """
            {"panel":"outbox","now":"2026-01-01T01:00:00Z","read_at":"2026-01-01T01:00:00Z","read_age_seconds":0,
             "state":{"stats":{"entries":{"pending":5,"sending":1,"failed":1,"succeeded":20000,"aborted":1},"due":5,
             "oldest_due":"2026-01-01T00:58:00Z","lag_seconds":120,"parked":1,"parked_unknown":1,"leases_expired":0,
             "estimated":["succeeded"],"at_least":[]},"worker":{"succeeded":10,"sending":1,"breaker_open":true},
             "parked":[{"id":7,"status":"failed","parked":true,"outcome_unknown":true,"attempts":2,
             "last_error_code":"OUTCOME_UNKNOWN","updated_at":"2026-01-01T00:50:00Z"}],
             "aborted":[{"id":8,"status":"aborted","parked":false,"outcome_unknown":false,"attempts":1,
             "last_error_code":"REJECTED","updated_at":"2026-01-01T00:50:00Z"}],"listed":20}}""";
    private static final String PROJECTIONS = """
            {"panel":"projections","now":"2026-01-01T01:00:00Z","read_at":"2026-01-01T01:00:00Z","read_age_seconds":0,
             "state":{"left_out":0,"projections":[{"projection_name":"entries","name":"entries","status":"failed","version":1,
             "role":"live","segment_count":2,"segments_unheld":0,"event_store_position":1717,"error_count":3,
             "last_error":"no such column","last_error_at":"2026-01-01T00:59:00Z","parked_keys":1,"parked_events":2,
             "segments":[{"segment":0,"position":1717},{"segment":1,"position":1800}]}]}}""";
    private static final String LOCKS = """
            {"panel":"locks","now":"2026-01-01T01:00:00Z","read_at":"2026-01-01T00:59:00Z","read_age_seconds":60,
             "error":"the connection was refused",
             "state":{"session_count":1,"wait_count":1,"circle":[],"waits":[{"session":"77","verdict":"conflict",
             "waiting_seconds":3.5,"blockers":[{"session":"78"}]}],"notes":[],
             "sessions":[{"session":"77","process":"importer","label":"nightly","held":[{"path":["u1","a1"],"mode":"exclusive"}],
             "wanted":[{"path":["u2"],"mode":"shared"}],"unnamed_keys":[],"open_seconds":12.0}]}}""";
    static final String SUBSCRIPTIONS = """
            {"panel":"subscriptions","now":"2026-01-01T01:00:00Z","read_at":"2026-01-01T01:00:00Z","read_age_seconds":0,
             "state":{"configured":"orders","left_out":0,"subscriptions":[
             {"name":"billing","stream":"BillingStream","completed":true,"unfinished":0,"owned":0,"workers":0},
             {"name":"invoices","stream":"InvoicesStream","completed":false,"low_watermark":"2026-01-01T00:00:00Z",
              "lag_seconds":3600.0,"unfinished":4,"owned":0,"workers":0},
             {"name":"orders","stream":"OrdersStream","completed":false,"low_watermark":"2026-01-01T00:59:58Z",
              "lag_seconds":1.5,"unfinished":5,"owned":4,"workers":2},
             {"name":"reporting-of-the-warehouse-in-europe","error":"the metadata tables are not complete: missing column SnapshotQuery of table Reporting_Subscription"},
             {"name":"returns","stream":"OrdersStream","completed":false,"low_watermark":"2026-01-01T00:59:15Z",
              "lag_seconds":45.0,"unfinished":3,"owned":3,"workers":1}]}}""";

    private SamplePanels() {}

    /** Lets the server show every panel beside a subscription of its process. */
    static void serve(PageServer server, boolean commands) {
        page(server, "subscription", "\"orders\"", commands, List.of("dead-letters", "outbox", "projections", "locks"));
    }

    /**
     * Lets the server show panels.
     *
     * @param chosen the JSON of the subscription that it shows first; null for one without partitions
     */
    static void page(PageServer server, String kind, String chosen, boolean commands, List<String> panels) {
        List<String> described = panels.stream()
                .map(panel -> "{\"name\":\"%s\",\"seconds\":1,\"commands\":%s}"
                        .formatted(panel, commands && !panel.equals("locks") ? "[\"x\"]" : "[]"))
                .toList();
        server.answer(
                "api/page",
                "{\"kind\":\"%s\",\"name\":\"orders\",\"subscription\":%s,\"chosen\":%s,\"commands\":%s,\"panels\":[%s]}"
                        .formatted(kind, !kind.equals("outbox"), chosen, commands, String.join(",", described)));
        server.answer("api/lag", LAG);
        server.answer("api/subscriptions", SUBSCRIPTIONS);
        server.answer("api/dead-letters", LETTERS);
        server.answer("api/outbox", OUTBOX);
        server.answer("api/projections", PROJECTIONS);
        server.answer("api/locks", LOCKS);
    }
}
