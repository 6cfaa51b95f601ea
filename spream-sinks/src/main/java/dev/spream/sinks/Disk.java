package dev.spream.sinks;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Makes files durable. Safe for use by many threads. */
interface Disk {
    Disk REAL = new Real();

    /** Waits until everything that was written to the open file is durable. */
    void force(Path path, FileDescriptor file) throws IOException;

    /** Waits until the entries of the folder are durable. Only POSIX systems have such a call. */
    void forceFolder(Path folder) throws IOException;

    /**
     * Forces through the operating system. Neither call is disturbed by an interrupt, and the interrupt status is kept.
     */
    final class Real implements Disk {
        private Real() {}

        @Override
        public void force(Path path, FileDescriptor file) throws IOException {
            file.sync();
        }

        @Override
        public void forceFolder(Path folder) throws IOException {
            if (!folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                return;
            }
            boolean interrupted = Thread.interrupted(); // an interrupt would close the channel
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}
