package dev.spream.format.protobuf;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import dev.spream.core.record.DataChangeRecord;
import java.util.List;

/** Rows, read by the published file. */
final class Rows {
    private Rows() {}

    /** Returns the message that a change is written as. */
    static EncodedMessage written(DataChangeRecord change) {
        return new RowShape().message(change);
    }

    /** Returns the definition of that message, by Google's compiler. */
    static Descriptor definition(DataChangeRecord change) throws Exception {
        return Protoc.file(written(change).schema().text()).getMessageTypes().getFirst();
    }

    /** Returns the change as its own reader reads it. */
    static DynamicMessage read(DataChangeRecord change) throws Exception {
        return DynamicMessage.parseFrom(definition(change), written(change).bytes());
    }

    /** Returns the field that has the column's name in JSON. */
    static FieldDescriptor field(Descriptor message, String column) {
        return message.getFields().stream()
                .filter(field -> field.getJsonName().equals(column))
                .findFirst()
                .orElseThrow();
    }

    static boolean has(DynamicMessage row, String column) {
        return row.hasField(field(row.getDescriptorForType(), column));
    }

    static Object get(Message row, String column) {
        return row.getField(field(row.getDescriptorForType(), column));
    }

    static List<?> elements(DynamicMessage row, String column) {
        return (List<?>) get((Message) get(row, column), "elements");
    }

    static int number(DataChangeRecord change, String column) throws Exception {
        return field(definition(change), column).getNumber();
    }
}
