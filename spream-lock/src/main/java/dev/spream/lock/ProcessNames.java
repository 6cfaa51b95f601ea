package dev.spream.lock;

import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/** Names for processes that nobody named. */
final class ProcessNames {
    private static final String HOST = Objects.requireNonNullElse(System.getenv("HOSTNAME"), "process");

    private ProcessNames() {}

    /** Another one each time; the number tells apart processes in containers, which often have equal ids. */
    static String next() {
        String number = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
        return "%.100s/%d/%s".formatted(HOST, ProcessHandle.current().pid(), number);
    }
}
