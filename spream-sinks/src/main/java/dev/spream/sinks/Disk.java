package dev.spream.sinks;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The disk, which makes files durable. Safe for use by many threads. */
interface Disk {
    Disk REAL = new Real();

    /** Returns when all that was written to the open file is durable. */
    void force(Path path, FileDescriptor file) throws IOException;

    /** Returns when it is durable which files the folder has. Other systems than POSIX ones have no such call. */
    void forceFolder(Path folder) throws IOException;

    /** Forces through the operating system. An interrupt disturbs neither call, and is kept. */
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
            boolean interrupted = Thread.interrupted(); // it would close the channel
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
