package dev.spream.api.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads small text files. Error messages can be displayed and quote nothing of the content. */
final class SmallFile {
    private SmallFile() {}

    /**
     * @throws IOException if the file cannot be read, is longer than {@code maxBytes} or is not UTF-8. Its message
     *     begins with a verb and is to be preceded by the file's name
     */
    static String read(Path file, int maxBytes) throws IOException {
        if (Files.isDirectory(file)) {
            throw new IOException("is a folder");
        }
        byte[] bytes = bytes(file, maxBytes + 1);
        if (bytes.length > maxBytes) {
            throw new IOException("is longer than %d KiB".formatted(maxBytes >> 10));
        }
        return decoded(bytes);
    }

    private static byte[] bytes(Path file, int limit) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(limit);
        } catch (NoSuchFileException e) {
            throw new IOException("does not exist", e);
        } catch (AccessDeniedException e) {
            throw new IOException("may not be read by this process", e);
        } catch (IOException e) {
            throw new IOException("cannot be read: " + e.getMessage(), e);
        }
    }

    private static String decoded(byte[] bytes) throws IOException {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        if (decoder.decode(in, out, true).isError()) {
            throw new IOException("is not UTF-8: see line " + line(bytes, in.position()));
        }
        return out.flip().toString();
    }

    private static int line(byte[] bytes, int end) {
        int line = 1;
        for (int i = 0; i < end; i++) {
            line += bytes[i] == '\n' ? 1 : 0;
        }
        return line;
    }
}
