package dev.spream.sinks;

import dev.spream.core.LoggedFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rotated files of a file: for {@code changes.jsonl}, {@code changes-20260131T120000.000Z-000001.jsonl} and so on.
 * Their names sort in the order of the rotations, even if the clock was set back. Confined to the owner of the file.
 */
final class RotatedFiles {
    private static final Logger log = LoggerFactory.getLogger(RotatedFiles.class);
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss.SSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final Path file;
    private final String stem;
    private final String extension;
    private final Pattern name;

    RotatedFiles(Path file) {
        this.file = file;
        String whole = String.valueOf(file.getFileName());
        int dot = whole.lastIndexOf('.');
        this.stem = dot > 0 ? whole.substring(0, dot) : whole;
        this.extension = dot > 0 ? whole.substring(dot) : "";
        this.name =
                Pattern.compile(Pattern.quote(stem) + "-(\\d{8}T\\d{6}\\.\\d{3}Z)-(\\d{6})" + Pattern.quote(extension));
    }

    /** Renames the file, to a name that sorts after all others. */
    void rotate(Instant now) throws IOException {
        Path target = file.resolveSibling(next(TIME.format(now)));
        Files.move(file, target);
        log.info("{} is renamed to {}", file, target.getFileName());
    }

    private String next(String time) throws IOException {
        List<String> names = names();
        if (names.isEmpty()) {
            return name(time, 1);
        }
        Matcher last = name.matcher(names.getLast());
        if (!last.matches() || last.group(1).compareTo(time) < 0) {
            return name(time, 1);
        }
        return name(last.group(1), 1 + Integer.parseInt(last.group(2)));
    }

    private String name(String time, int number) {
        return "%s-%s-%06d%s".formatted(stem, time, number, extension);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(file.resolveSibling("."))) {
            return files.map(each -> String.valueOf(each.getFileName()))
                    .filter(each -> name.matcher(each).matches())
                    .sorted()
                    .toList();
        }
    }

    /** Deletes the oldest ones, keeping that many. Failed deletions are retried after the next rotation. */
    void prune(int keep) {
        try {
            List<String> names = names();
            for (String oldest : names.subList(0, Math.max(0, names.size() - keep))) {
                Files.deleteIfExists(file.resolveSibling(oldest));
                log.info("{} is deleted: the {} latest rotated files are kept", oldest, keep);
            }
        } catch (IOException e) {
            log.warn(
                    "old rotated files of {} cannot be deleted; they use space until the next rotation",
                    file,
                    LoggedFailure.of(e));
        }
    }
}
