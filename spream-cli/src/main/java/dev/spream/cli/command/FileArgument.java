package dev.spream.cli.command;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A file given as an option. */
public final class FileArgument {
    private FileArgument() {}

    /**
     * Returns the text of the file.
     *
     * @throws IOException if it cannot be read; the message is the rest of a sentence that begins with the file
     */
    public static String read(Path file) throws IOException {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new IOException("does not exist", e);
        } catch (AccessDeniedException e) {
            throw new IOException("may not be read by this user", e);
        } catch (CharacterCodingException e) {
            throw new IOException("is not UTF-8", e);
        } catch (IOException e) {
            throw new IOException(Files.isDirectory(file) ? "is a folder" : "cannot be read: " + e.getMessage(), e);
        }
    }
}
