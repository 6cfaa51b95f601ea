package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MethodInvocationTree;
import dev.spream.core.DurationText;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeMirror;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** No duration becomes text by its own toString, which writes PT0.328742036S; {@link DurationText} writes it. */
final class DurationsInMessagesTest {
    private static final Set<String> WRITERS = Set.of(
            "java.lang.String",
            "java.lang.StringBuilder",
            "java.io.PrintStream",
            "java.io.PrintWriter",
            "org.slf4j.Logger");

    @Test
    void every_module_writes_durations_as_people_do() throws IOException {
        assertThat(ProductSources.scan(text -> text.contains("Duration"), 200, Writing::new))
                .isEmpty();
    }

    @Test
    void each_way_to_write_one_is_noticed() throws IOException {
        String text = """
                import java.time.Duration;
                class Sample {
                    Sample(Duration time, java.util.Optional<Duration> maybe, org.slf4j.Logger log) {
                        log.info("{} {}", 1, time);
                        String joined = "after " + time;
                        String format = "%s".formatted(time) + String.format("%s", maybe) + time.toString();
                        maybe.map(Duration::toString);
                        fail("%d %s", 1, time);
                        log.info("{}", dev.spream.core.DurationText.of(time));
                    }
                    static void fail(String text, Object... values) {}
                }
                """;
        assertThat(ProductSources.scan(text, Writing::new)).hasSize(7);
    }

    private static final class Writing extends ProductSources.Rule {
        Writing(ProductSources.Unit unit) {
            super(unit);
        }

        @Override
        public @Nullable Void visitMethodInvocation(MethodInvocationTree call, @Nullable Void none) {
            if (element() instanceof ExecutableElement method) {
                if (writes(method)) {
                    call.getArguments().forEach(this::look);
                }
                if (method.getSimpleName().contentEquals("toString") && isDuration(method)) {
                    found(call);
                }
            }
            return super.visitMethodInvocation(call, null);
        }

        @Override
        public @Nullable Void visitMemberReference(MemberReferenceTree reference, @Nullable Void none) {
            if (reference.getName().contentEquals("toString")
                    && element() instanceof ExecutableElement method
                    && isDuration(method)) {
                found(reference);
            }
            return super.visitMemberReference(reference, null);
        }

        @Override
        public @Nullable Void visitBinary(BinaryTree operation, @Nullable Void none) {
            lookAtParts(operation);
            return super.visitBinary(operation, null);
        }

        private static boolean writes(ExecutableElement method) {
            return (method.getEnclosingElement() instanceof TypeElement owner
                            && WRITERS.contains(owner.getQualifiedName().toString()))
                    || takesAnything(method);
        }

        private static boolean isDuration(ExecutableElement method) {
            return String.valueOf(method.getEnclosingElement()).equals(Duration.class.getName());
        }

        @Override
        void look(ExpressionTree value) {
            TypeMirror type = type(value);
            if (type != null && type.toString().matches("(java\\.util\\.\\w+<)?java\\.time\\.Duration>?")) {
                found(value);
            }
        }
    }
}
