package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import dev.spream.core.DurationText;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.TypeMirror;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
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
        List<JavaFileObject> sources = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            for (Path file : files.filter(DurationsInMessagesTest::isProduct).toList()) {
                String text = Files.readString(file);
                if (text.contains("Duration")) {
                    sources.add(source(file.normalize().toUri(), text));
                }
            }
        }
        assertThat(sources).hasSizeGreaterThan(200);
        assertThat(written(sources)).isEmpty();
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
        assertThat(written(List.of(source(URI.create("string:///Sample.java"), text))))
                .hasSize(7);
    }

    private static boolean isProduct(Path file) {
        String path = file.toString().replace(File.separatorChar, '/');
        return path.matches("\\.\\./spream-[^/]*/src/main/java/.*\\.java");
    }

    private static JavaFileObject source(URI where, String text) {
        return new SimpleJavaFileObject(where, JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }

    /** Where durations are written. Types of other files come from the class path; what is missing there is passed over. */
    private static List<String> written(List<JavaFileObject> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, problem -> {}, List.of("-proc:none", "-cp", classPath), null, sources);
            Iterable<? extends CompilationUnitTree> units = task.parse();
            task.analyze();
            List<String> found = new ArrayList<>();
            for (CompilationUnitTree unit : units) {
                new Scan(unit, Trees.instance(task), found).scan(unit, null);
            }
            return found;
        }
    }

    private static final class Scan extends TreePathScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final Trees trees;
        private final List<String> found;

        Scan(CompilationUnitTree unit, Trees trees, List<String> found) {
            this.unit = unit;
            this.trees = trees;
            this.found = found;
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree call, Void none) {
            if (trees.getElement(getCurrentPath()) instanceof ExecutableElement method) {
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
        public Void visitMemberReference(MemberReferenceTree reference, Void none) {
            if (reference.getName().contentEquals("toString")
                    && trees.getElement(getCurrentPath()) instanceof ExecutableElement method
                    && isDuration(method)) {
                found(reference);
            }
            return super.visitMemberReference(reference, null);
        }

        @Override
        public Void visitBinary(BinaryTree operation, Void none) {
            if (operation.getKind() == Tree.Kind.PLUS) {
                look(operation.getLeftOperand());
                look(operation.getRightOperand());
            }
            return super.visitBinary(operation, null);
        }

        private static boolean writes(ExecutableElement method) {
            if (method.getEnclosingElement() instanceof TypeElement owner
                    && WRITERS.contains(owner.getQualifiedName().toString())) {
                return true;
            }
            return method.isVarArgs()
                    && method.getParameters().getLast().asType() instanceof ArrayType array
                    && array.getComponentType().toString().endsWith("java.lang.Object");
        }

        private static boolean isDuration(ExecutableElement method) {
            return String.valueOf(method.getEnclosingElement()).equals(Duration.class.getName());
        }

        private void look(ExpressionTree value) {
            TypeMirror type = trees.getTypeMirror(new TreePath(getCurrentPath(), value));
            if (type != null && type.toString().matches("(java\\.util\\.\\w+<)?java\\.time\\.Duration>?")) {
                found(value);
            }
        }

        private void found(Tree tree) {
            long start = trees.getSourcePositions().getStartPosition(unit, tree);
            found.add("%s:%d %s"
                    .formatted(unit.getSourceFile().getName(), unit.getLineMap().getLineNumber(start), tree));
        }
    }
}
