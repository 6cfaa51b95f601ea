package dev.spream.sinks;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileDescriptor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

final class LineFileTest {
    /** The device cannot be forced, and refuses every write as a disk does that is full. */
    private static final Disk FULL = new Disk() {
        @Override
        public void force(Path path, FileDescriptor file) {}

        @Override
        public void forceFolder(Path folder) {}
    };

    @Test
    void a_full_disk_is_said_of_the_file() throws Exception {
        LineFile file = LineFile.open(Path.of("/dev/full"), ChangeLines.OF_RECORDS, InstantSource.system(), FULL);
        assertThatThrownBy(() -> file.append("{}\n".getBytes(StandardCharsets.UTF_8)))
                .hasMessage("/dev/full cannot be written: No space left on device");
    }
}
