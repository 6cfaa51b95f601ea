package dev.spream.core.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReaderThreadsTest {
    @ParameterizedTest
    @CsvSource({"21, false", "23, false", "24, true", "25, true"})
    void a_reader_has_a_platform_thread_where_virtual_ones_are_pinned(int javaVersion, boolean isVirtual) {
        Thread thread = ReaderThreads.builder(javaVersion).name("reader").unstarted(() -> {});
        assertThat(thread.isVirtual()).isEqualTo(isVirtual);
        assertThat(thread.isDaemon()).isTrue();
    }

    @Test
    void the_running_version_decides() {
        assertThat(ReaderThreads.builder().unstarted(() -> {}).isVirtual())
                .isEqualTo(Runtime.version().feature() >= 24);
    }
}
