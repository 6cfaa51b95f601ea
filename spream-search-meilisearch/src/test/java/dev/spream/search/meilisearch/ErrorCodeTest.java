package dev.spream.search.meilisearch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.FailureKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ErrorCodeTest {
    @ParameterizedTest
    @CsvSource({
        "invalid_request, invalid_document_id, POISON",
        "invalid_request, missing_document_id, POISON",
        "invalid_request, invalid_search_filter, POISON",
        "invalid_request, missing_content_type, FATAL",
        "invalid_request, invalid_content_type, FATAL",
        "invalid_request, payload_too_large, POISON",
        "invalid_request, invalid_settings_ranking_rules, FATAL",
        "invalid_request, index_primary_key_multiple_candidates_found, FATAL",
        "invalid_request, bad_request, FATAL",
        "invalid_request, a_code_of_a_later_server, FATAL",
        "auth, invalid_api_key, LOCAL",
        "auth, missing_authorization_header, LOCAL",
        "invalid_request, task_not_found, TRANSIENT",
        "system, no_space_left_on_device, TRANSIENT",
        "internal, internal, TRANSIENT"
    })
    void only_what_is_said_of_a_document_is_the_fault_of_its_event(String type, String code, FailureKind kind) {
        assertThat(new ErrorCode(type, code).kind()).isEqualTo(kind);
    }

    @ParameterizedTest
    @CsvSource({
        "400, LOCAL",
        "401, LOCAL",
        "404, LOCAL",
        "413, POISON",
        "422, LOCAL",
        "408, TRANSIENT",
        "429, TRANSIENT",
        "502, TRANSIENT"
    })
    void an_answer_that_is_none_of_the_servers_is_no_fault_of_a_document(int status, FailureKind kind) {
        assertThat(ErrorCode.ofStatus(status).kind()).isEqualTo(kind);
    }
}
