package dev.spream.core.record;

/**
 * The examples of Spanner's documentation, without their comments and trailing commas.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/change-streams/details">Spanner: change streams partitions,
 *     records, and queries</a>
 */
final class DocumentedRecords {
    /** A transfer between two accounts, which come from two partitions: the first account. */
    static final String TRANSFER_FROM = dataChange("00000000", """
            {"LastUpdate": "2022-09-27T12:30:00.123456Z", "Balance": 1000}""", """
            {"LastUpdate": "2022-09-26T11:28:00.189413Z", "Balance": 1500}""", "OLD_AND_NEW_VALUES", 2);

    static final String NEW_ROW = dataChange("00000000", """
            {"LastUpdate": "2022-09-27T12:30:00.123456Z", "Balance": 1000}""", "{}", "NEW_ROW", 1);

    static final String NEW_ROW_AND_OLD_VALUES = dataChange("00000000", """
            {"LastUpdate": "2022-09-27T12:30:00.123456Z", "Balance": 1000}""", """
            {"LastUpdate": "2022-09-26T11:28:00.189413Z"}""", "NEW_ROW_AND_OLD_VALUES", 1);

    static final String NEW_VALUES = dataChange("00000000", """
            {"LastUpdate": "2022-09-27T12:30:00.123456Z"}""", "{}", "NEW_VALUES", 1);

    static final String HEARTBEAT = """
            {"heartbeat_record": {"timestamp": "2022-09-27T12:35:00.312486Z"}}""";

    static final String CHILD_OF_TWO = """
            {"child_partitions_record": {
              "start_timestamp": "2022-09-27T12:40:00.562986Z",
              "record_sequence": "00000001",
              "child_partitions": [
                {
                  "token": "child_token_1",
                  "parent_partition_tokens": ["parent_token_1", "parent_token_2"]
                }
              ]
            }}""";

    /** From the workflow, with a sequence that is a number, a member that does not exist, and parents that are null. */
    static final String FIRST_CHILDREN = """
            {"child_partitions_record": {
              "record_type": "child_partitions",
              "start_timestamp": "2022-05-01T09:00:01Z",
              "record_sequence": 1000012389,
              "child_partitions": [
                {
                  "token": "child_token_1",
                  "parent_partition_tokens": [null]
                },
                {
                  "token": "child_token_2",
                  "parent_partition_tokens": [null]
                }
              ]
            }}""";

    private DocumentedRecords() {}

    private static String dataChange(String sequence, String newValues, String oldValues, String capture, int parts) {
        return """
            {"data_change_record": {
              "commit_timestamp": "2022-09-27T12:30:00.123456Z",
              "record_sequence": "%s",
              "server_transaction_id": "6329047911",
              "is_last_record_in_transaction_in_partition": true,
              "table_name": "AccountBalance",
              "column_types": [
                {
                  "name": "AccountId",
                  "type": {"code": "STRING"},
                  "is_primary_key": true,
                  "ordinal_position": 1
                },
                {
                  "name": "LastUpdate",
                  "type": {"code": "TIMESTAMP"},
                  "is_primary_key": false,
                  "ordinal_position": 2
                },
                {
                   "name": "Balance",
                   "type": {"code": "INT"},
                   "is_primary_key": false,
                   "ordinal_position": 3
                }
              ],
              "mods": [
                {
                  "keys": {"AccountId": "Id1"},
                  "new_values": %s,
                  "old_values": %s
                }
              ],
              "mod_type": "UPDATE",
              "value_capture_type": "%s",
              "number_of_records_in_transaction": %d,
              "number_of_partitions_in_transaction": %d,
              "transaction_tag": "app=banking,env=prod,action=update",
              "is_system_transaction": false
            }}""".formatted(sequence, newValues, oldValues, capture, parts, parts);
    }
}
