package dev.spream.cli;

import dev.spream.core.Secrets;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * The door of standard error: what is logged or said there, by client libraries too, has none of the configured secrets. Each write
 * is looked at by itself, since a line that is still being written has to be seen.
 */
final class StruckStream extends FilterOutputStream {
    private StruckStream(OutputStream out) {
        super(out);
    }

    static PrintStream over(OutputStream out) {
        return new PrintStream(new StruckStream(out), true, StandardCharsets.UTF_8);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        String text = new String(bytes, offset, length, StandardCharsets.UTF_8);
        String struck = Secrets.mask(text);
        if (struck.equals(text)) {
            out.write(bytes, offset, length); // as it is, also where a character is cut in two
        } else {
            out.write(struck.getBytes(StandardCharsets.UTF_8));
        }
    }
}
