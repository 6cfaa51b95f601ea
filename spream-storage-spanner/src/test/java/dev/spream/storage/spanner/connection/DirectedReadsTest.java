package dev.spream.storage.spanner.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.spanner.v1.DirectedReadOptions;
import com.google.spanner.v1.DirectedReadOptions.ReplicaSelection;
import com.google.spanner.v1.DirectedReadOptions.ReplicaSelection.Type;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DirectedReadsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "include:us-east1/read-only,us-east4",
                "include:read-only",
                "only:us-east1/read-write",
                "exclude:us-east1,read-write"
            })
    void text_reads_back(String text) {
        assertThat(DirectedReads.text(DirectedReads.parse(text))).isEqualTo(text);
    }

    @Test
    void replicas_are_preferred_in_order_and_others_are_used_unless_excluded() {
        DirectedReadOptions options = DirectedReads.parse("include:us-east1/read-only, us-east4");
        assertThat(options.getIncludeReplicas().getReplicaSelectionsList())
                .containsExactly(
                        ReplicaSelection.newBuilder()
                                .setLocation("us-east1")
                                .setType(Type.READ_ONLY)
                                .build(),
                        ReplicaSelection.newBuilder().setLocation("us-east4").build());
        assertThat(options.getIncludeReplicas().getAutoFailoverDisabled()).isFalse();
        assertThat(DirectedReads.parse("only:read-only").getIncludeReplicas().getAutoFailoverDisabled())
                .isTrue();
        assertThat(DirectedReads.parse("exclude:read-write").hasExcludeReplicas())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "us-east1",
                "include:",
                "include:us-east1,,us-east4",
                "include:us-east1/witness",
                "prefer:us-east1",
                "include:US-EAST1",
                "include:a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11"
            })
    void anything_else_is_refused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DirectedReads.parse(text))
                .withMessageStartingWith("expected ");
    }
}
