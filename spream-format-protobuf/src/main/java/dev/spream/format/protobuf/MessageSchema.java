package dev.spream.format.protobuf;

/**
 * The schema of a message. Immutable.
 *
 * @param name the full name of the message
 * @param text the {@code .proto} file that defines it
 * @param index the place of the message in the file, as Confluent's wire format has it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record MessageSchema(String name, String text, byte[] index) {
    private static final byte[] FIRST = {0};

    /** Returns the schema of the first message of a file, whose place {@code [0]} is a single zero. */
    static MessageSchema ofFirst(String name, String text) {
        return new MessageSchema(name, text, FIRST);
    }
}
