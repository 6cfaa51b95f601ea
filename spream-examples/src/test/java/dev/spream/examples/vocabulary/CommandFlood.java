package dev.spream.examples.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.examples.vocabulary.VocabularyClient.Reply;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Sends one command after the other, and each until it is answered, with the same key. So each has happened once when it ends. Run
 * by one thread, asked by any.
 */
final class CommandFlood {
    private static final long PAUSE_NANOS = 20_000_000;
    private static final int COMMANDS_OF_AN_ENTRY = 15;

    private final Supplier<URI> service;
    private final SplittableRandom random = new SplittableRandom(20_260_102);
    private volatile int answered;
    private volatile int repeated;

    /** @param service where it is at the moment */
    CommandFlood(Supplier<URI> service) {
        this.service = service;
    }

    int answered() {
        return answered;
    }

    /** Returns how often a command was sent again. */
    int repeated() {
        return repeated;
    }

    void run(BooleanSupplier enough) {
        try (VocabularyClient client = new VocabularyClient()) {
            while (!enough.getAsBoolean()) {
                entry(client);
            }
        }
    }

    private void entry(VocabularyClient client) {
        Reply created = send(
                client,
                "POST",
                "/entries",
                "{\"word\": \"word %d\", \"reading\": \"reading\", \"part_of_speech\": \"noun\"}".formatted(answered));
        String items = "/entries/" + created.text("entry_id") + "/items";
        List<String> known = new ArrayList<>();
        for (int version = 1; version <= COMMANDS_OF_AN_ENTRY; version++) {
            int kind = known.isEmpty() ? 0 : random.nextInt(5);
            switch (kind) {
                case 0, 1 ->
                    known.add(send(client, "POST", items, """
                            {"version": %d, "definition": "definition %d", "difficulty": "beginner", "categories": ["food"]}""".formatted(version, answered))
                            .text("item_id"));
                case 2 -> send(client, "PATCH", items + "/" + any(known), """
                            {"version": %d, "definition": "changed %d", "difficulty": "advanced"}""".formatted(version, answered));
                case 3 ->
                    send(client, "POST", items + "/" + any(known) + "/examples", """
                            {"version": %d, "sentence": "sentence %d", "translation": "translation"}""".formatted(version, answered));
                default -> {
                    String gone = known.remove(random.nextInt(known.size()));
                    send(client, "DELETE", items + "/" + gone + "?version=" + version, "");
                }
            }
        }
    }

    private String any(List<String> of) {
        return of.get(random.nextInt(of.size()));
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // one thread writes them
    private Reply send(VocabularyClient client, String method, String path, String body) {
        String key = "command-" + answered;
        while (true) {
            try {
                Reply reply = client.command(service.get(), method, path, key, body);
                if (reply.status() < 500) {
                    assertThat(reply.status()).as(reply.body()).isBetween(200, 201);
                    answered++;
                    return reply;
                }
            } catch (IOException e) {
                // it was killed
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
            repeated++;
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
