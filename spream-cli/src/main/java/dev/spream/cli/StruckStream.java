package dev.spream.cli;

import dev.spream.core.Secrets;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Masks the configured secrets in standard error, the output of client libraries included. Each write is masked by
 * itself, since partial lines have to appear at once.
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
            out.write(bytes, offset, length); // written unchanged, even if it splits a character
        } else {
            out.write(struck.getBytes(StandardCharsets.UTF_8));
        }
    }
}
