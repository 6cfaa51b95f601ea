package dev.spream.sink.files;

import static java.util.Objects.requireNonNull;

import dev.spream.api.spi.FileFormat;
import java.time.Duration;

/**
 * The options of a files sink.
 *
 * @param path the folders of the files
 * @param format the form of the changes in them
 * @param maxSize the size at which the changes that were collected are committed, before they are compressed
 * @param retryFor how long failures of the store are retried
 */
record FilesOptions(PathPattern path, FileFormat format, long maxSize, Duration retryFor) {
    FilesOptions {
        requireNonNull(path, "path");
        requireNonNull(format, "format");
        requireNonNull(retryFor, "retryFor");
        if (maxSize < 1) {
            throw new IllegalArgumentException("maxSize is %d, must be 1 or more".formatted(maxSize));
        }
    }
}
