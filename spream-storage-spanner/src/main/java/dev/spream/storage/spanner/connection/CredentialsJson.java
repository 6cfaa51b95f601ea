package dev.spream.storage.spanner.connection;

import com.google.auth.oauth2.GoogleCredentials;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Credentials in the JSON of Google: the key of a service account, the configuration of a workload identity, or the
 * credentials of a user. No message quotes any of it, nor the message of the library, which may.
 */
public final class CredentialsJson {
    public static final String FORM =
            "credentials as JSON: the key of a service account, or the configuration of a workload identity";

    private CredentialsJson() {}

    /**
     * Returns the credentials of a JSON text.
     *
     * @throws IllegalArgumentException if it has another form
     */
    public static GoogleCredentials parse(String json) {
        return read(json.getBytes(StandardCharsets.UTF_8), "the text");
    }

    /**
     * Returns the credentials of a JSON file.
     *
     * @throws IllegalArgumentException if the file cannot be read, or has another form; the message names it
     */
    public static GoogleCredentials read(Path file) {
        return read(bytes(file), "the file " + file);
    }

    private static byte[] bytes(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw unreadable(file, "does not exist");
        } catch (AccessDeniedException e) {
            throw unreadable(file, "may not be read by this user");
        } catch (IOException e) {
            throw unreadable(file, Files.isDirectory(file) ? "is a folder" : "cannot be read");
        }
    }

    private static IllegalArgumentException unreadable(Path file, String problem) {
        return new IllegalArgumentException(
                "the credentials file %s %s: correct the path or its permissions, or remove the setting to use the application default credentials"
                        .formatted(file, problem));
    }

    private static GoogleCredentials read(byte[] json, String place) {
        try {
            return GoogleCredentials.fromStream(new ByteArrayInputStream(json));
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException("%s has no valid credentials: expected %s; download the key again"
                    .formatted(place, FORM)); // without the cause, whose message may quote the key
        }
    }
}
