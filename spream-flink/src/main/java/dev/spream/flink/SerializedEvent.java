package dev.spream.flink;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serial;
import java.io.Serializable;
import java.io.UncheckedIOException;

/** The form in which a message is sent: Flink sends serializable objects, and the values of spream are none. */
final class SerializedEvent implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    private final byte[] bytes;

    private SerializedEvent(byte[] bytes) {
        this.bytes = bytes;
    }

    /** The kinds of messages, by the number with which the message begins. */
    private enum Kind {
        READER_STARTED,
        RESTORED,
        CHILDREN_FOUND,
        MOVED_IN,
        READ_TO_END,
        PROGRESS,
        CHILDREN_STORED,
        END_STORED,
        PROCEED,
        LOW_WATERMARK
    }

    static SerializedEvent of(ReaderEvent event) {
        return written(out -> {
            switch (event) {
                case ReaderEvent.ReaderStarted started -> {
                    out.name(Kind.READER_STARTED);
                    out.number(started.capacity());
                }
                case ReaderEvent.Restored restored -> {
                    out.name(Kind.RESTORED);
                    out.list(restored.splits(), out::split);
                }
                case ReaderEvent.ChildrenFound found -> {
                    out.name(Kind.CHILDREN_FOUND);
                    out.token(found.token());
                    out.children(found.children());
                }
                case ReaderEvent.MovedIn moved -> {
                    out.name(Kind.MOVED_IN);
                    out.token(moved.token());
                    out.moveIn(moved.moveIn());
                }
                case ReaderEvent.ReadToEnd end -> {
                    out.name(Kind.READ_TO_END);
                    out.progress(end.progress());
                    out.end(end.proof());
                }
                case ReaderEvent.Progress progress -> {
                    out.name(Kind.PROGRESS);
                    out.list(progress.splits(), out::progress);
                }
            }
        });
    }

    static SerializedEvent of(EnumeratorEvent event) {
        return written(out -> {
            switch (event) {
                case EnumeratorEvent.ChildrenStored stored -> {
                    out.name(Kind.CHILDREN_STORED);
                    out.token(stored.token());
                    out.children(stored.children());
                }
                case EnumeratorEvent.EndStored stored -> {
                    out.name(Kind.END_STORED);
                    out.token(stored.token());
                }
                case EnumeratorEvent.Proceed proceed -> {
                    out.name(Kind.PROCEED);
                    out.token(proceed.token());
                    out.moveIn(proceed.moveIn());
                }
                case EnumeratorEvent.LowWatermark low -> {
                    out.name(Kind.LOW_WATERMARK);
                    out.instant(low.timestamp());
                }
            }
        });
    }

    @Serial
    private Object readResolve() {
        BinaryReader in = new BinaryReader(new ByteArrayInputStream(bytes));
        try {
            return switch (in.name(Kind.class)) {
                case READER_STARTED -> new ReaderEvent.ReaderStarted((int) in.number());
                case RESTORED -> new ReaderEvent.Restored(in.list(in::split));
                case CHILDREN_FOUND -> new ReaderEvent.ChildrenFound(in.token(), in.children());
                case MOVED_IN -> new ReaderEvent.MovedIn(in.token(), in.moveIn());
                case READ_TO_END -> new ReaderEvent.ReadToEnd(in.progress(), in.end());
                case PROGRESS -> new ReaderEvent.Progress(in.list(in::progress));
                case CHILDREN_STORED -> new EnumeratorEvent.ChildrenStored(in.token(), in.children());
                case END_STORED -> new EnumeratorEvent.EndStored(in.token());
                case PROCEED -> new EnumeratorEvent.Proceed(in.token(), in.moveIn());
                case LOW_WATERMARK -> new EnumeratorEvent.LowWatermark(in.instant());
            };
        } catch (IOException e) {
            throw new UncheckedIOException("a message between readers and enumerator cannot be read", e);
        }
    }

    private static SerializedEvent written(BinaryWriter.Item<BinaryWriter> content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            content.write(new BinaryWriter(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException("a message between readers and enumerator cannot be written", e);
        }
        return new SerializedEvent(bytes.toByteArray());
    }
}
