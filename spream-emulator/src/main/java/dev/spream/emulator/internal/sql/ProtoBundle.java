package dev.spream.emulator.internal.sql;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The protocol buffer messages and enums that a database has as column types, by their full names. Immutable.
 *
 * @param types in the order in which they were declared
 * @param descriptors the {@link FileDescriptorSet} that declared them last
 */
public record ProtoBundle(Map<String, Type> types, ByteString descriptors) {
    public static final ProtoBundle EMPTY = new ProtoBundle(Map.of(), ByteString.EMPTY);

    public ProtoBundle {
        types = Collections.unmodifiableMap(new LinkedHashMap<>(types));
    }

    /** Returns this bundle with more types, or with new declarations of types that it has. */
    public ProtoBundle with(List<String> names, ByteString declaring) {
        Map<String, Type> declared = declared(declaring);
        Map<String, Type> all = new LinkedHashMap<>(types);
        for (String name : names) {
            Type type = declared.get(name);
            if (type == null) {
                throw Errors.invalidArgument(
                        "The proto descriptors sent with the statement do not have the type %s", name);
            }
            all.put(name, type);
        }
        return new ProtoBundle(all, names.isEmpty() ? descriptors : declaring);
    }

    public ProtoBundle without(List<String> names) {
        Map<String, Type> rest = new LinkedHashMap<>(types);
        names.forEach(rest::remove);
        return new ProtoBundle(rest, descriptors);
    }

    Optional<Type> find(String name) {
        return Optional.ofNullable(types.get(name));
    }

    /** Returns the statement that creates the bundle; empty if it has no types. */
    public Optional<String> ddl() {
        return types.isEmpty()
                ? Optional.empty()
                : Optional.of("CREATE PROTO BUNDLE (\n  " + String.join(",\n  ", types.keySet()) + ",\n)");
    }

    private static Map<String, Type> declared(ByteString descriptors) {
        try {
            Map<String, Type> declared = new LinkedHashMap<>();
            for (FileDescriptorProto file :
                    FileDescriptorSet.parseFrom(descriptors).getFileList()) {
                String prefix = file.getPackage().isEmpty() ? "" : file.getPackage() + ".";
                add(prefix, file.getMessageTypeList(), file.getEnumTypeList(), declared);
            }
            return declared;
        } catch (InvalidProtocolBufferException e) {
            throw Errors.invalidArgument("The proto descriptors sent with the statement are not a FileDescriptorSet");
        }
    }

    private static void add(
            String prefix,
            List<DescriptorProto> messages,
            List<EnumDescriptorProto> enums,
            Map<String, Type> declared) {
        for (DescriptorProto message : messages) {
            String name = prefix + message.getName();
            declared.put(name, named(TypeCode.PROTO, name));
            add(name + ".", message.getNestedTypeList(), message.getEnumTypeList(), declared);
        }
        enums.forEach(each -> declared.put(prefix + each.getName(), named(TypeCode.ENUM, prefix + each.getName())));
    }

    private static Type named(TypeCode code, String name) {
        return Type.newBuilder().setCode(code).setProtoTypeFqn(name).build();
    }
}
