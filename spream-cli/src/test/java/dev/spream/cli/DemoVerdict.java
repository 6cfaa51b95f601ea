package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The last line of a demo, taken apart. */
final class DemoVerdict {
    private static final Pattern LINE = Pattern.compile("demo: committed (?<committed>\\d+) mods in "
            + "(?<transactions>\\d+) transactions; partitions (?<partitions>\\d+) "
            + "\\(splits (?<splits>\\d+), merges (?<merges>\\d+), moves (?<moves>\\d+)\\); "
            + "(?:faults injected (?<faults>\\d+) \\((?<kinds>.*?)\\); reconnects (?<reconnects>\\d+), "
            + "repeated records dropped (?<dropped>\\d+); )?"
            + "delivered (?<delivered>\\d+), lost (?<lost>\\d+), duplicated (?<duplicated>\\d+), "
            + "out of order (?<disordered>\\d+)(?<claim> \\(not claimed\\))?(?<remark> \\(order of .*)?");

    private final Matcher line;

    private DemoVerdict(Matcher line) {
        this.line = line;
    }

    /** That of a demo that has ended. */
    static DemoVerdict of(SpreamProcess demo) {
        assertThat(demo.err()).as("what the demo said").isNotEmpty();
        Matcher line = LINE.matcher(demo.err().getLast());
        assertThat(line.matches()).as("%s", demo.err()).isTrue();
        return new DemoVerdict(line);
    }

    int count(String name) {
        return Integer.parseInt(String.valueOf(line.group(name)));
    }

    /** The kinds of faults that were injected. */
    List<String> faultKinds() {
        return Arrays.stream(String.valueOf(line.group("kinds")).split(", ", -1))
                .map(kind -> kind.replaceAll(" \\d+", ""))
                .toList();
    }

    boolean claimsOrder() {
        return line.group("claim") == null;
    }

    /** The remark about an order that could not be judged; null if there was none. */
    @Nullable
    String remark() {
        return line.group("remark");
    }
}
