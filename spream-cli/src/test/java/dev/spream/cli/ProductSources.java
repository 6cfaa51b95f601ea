package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.TypeMirror;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** The main sources of all modules with their types, for rules about arguments, which compiled classes do not show. */
final class ProductSources {
    private ProductSources() {}

    /**
     * Returns the findings of the rule in all product sources.
     *
     * @param matter selects the files, by their text, that the rule applies to, among those that any rule applies to
     * @param atLeast the least number of such files, so that a rule that applies to none is noticed
     */
    static List<String> scan(Predicate<String> matter, int atLeast, Function<Unit, Rule> rule) throws IOException {
        Attributed all = Shared.ALL;
        synchronized (all) { // the compiler still looks up types meanwhile
            List<CompilationUnitTree> units = new ArrayList<>();
            for (CompilationUnitTree unit : all.units) {
                if (matter.test(unit.getSourceFile().getCharContent(true).toString())) {
                    units.add(unit);
                }
            }
            assertThat(units).hasSizeGreaterThan(atLeast);
            return all.findings(units, rule);
        }
    }

    /** Returns the findings of the rule in a text. */
    static List<String> scan(String sample, Function<Unit, Rule> rule) throws IOException {
        Attributed attributed = Attributed.of(List.of(source(URI.create("string:///Sample.java"), sample)));
        return attributed.findings(attributed.units, rule);
    }

    private static List<JavaFileObject> with(Predicate<String> matter) throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        for (Path file : files()) {
            String text = Files.readString(file);
            if (matter.test(text)) {
                sources.add(source(file.normalize().toUri(), text));
            }
        }
        return sources;
    }

    /** Returns the product sources, without a look into {@code target}, which builds of other modules change meanwhile. */
    private static List<Path> files() throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(Path.of(".."), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return folder.endsWith("target") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (isProduct(file)) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }

    /**
     * Sources whose types are known. Types of other files come from the class path, and from the examples; what is missing is
     * passed over.
     */
    private record Attributed(JavacTask task, List<CompilationUnitTree> units) {
        static Attributed of(List<JavaFileObject> sources) throws IOException {
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
            String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
            JavacTask task = (JavacTask) compiler.getTask(
                    null,
                    files,
                    problem -> {},
                    List.of(
                            "-proc:none",
                            "--should-stop=ifNoError=ATTR",
                            "--should-stop=ifError=ATTR",
                            "-cp",
                            classPath,
                            "-sourcepath",
                            "../spream-examples/src/main/java"),
                    null,
                    sources);
            List<CompilationUnitTree> units = new ArrayList<>();
            task.parse().forEach(units::add);
            task.analyze();
            return new Attributed(task, units);
        }

        List<String> findings(List<CompilationUnitTree> among, Function<Unit, Rule> rule) {
            List<String> found = new ArrayList<>();
            for (CompilationUnitTree unit : among) {
                rule.apply(new Unit(unit, task, found)).scan(unit, null);
            }
            return found;
        }
    }

    /** The sources that a rule applies to, attributed once for all rules: it takes as long as to compile them. */
    private static final class Shared {
        static final Attributed ALL = attributed();

        private static Attributed attributed() {
            try {
                return Attributed.of(with(text -> text.contains("Duration")
                        || text.contains("import org.slf4j.")
                        || text.contains("import io.opentelemetry.")));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
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

    record Unit(CompilationUnitTree tree, JavacTask task, List<String> found) {}

    /** A walk over one source. */
    abstract static class Rule extends TreePathScanner<@Nullable Void, @Nullable Void> {
        final Unit unit;
        private final Trees trees;

        Rule(Unit unit) {
            this.unit = unit;
            trees = Trees.instance(unit.task());
        }

        final @Nullable Element element() {
            return trees.getElement(getCurrentPath());
        }

        final @Nullable Element element(ExpressionTree part) {
            return trees.getElement(new TreePath(getCurrentPath(), part));
        }

        final @Nullable TypeMirror type(ExpressionTree part) {
            return trees.getTypeMirror(new TreePath(getCurrentPath(), part));
        }

        /** Looks at what becomes a part of a text. */
        abstract void look(ExpressionTree value);

        final void lookAtParts(BinaryTree operation) {
            if (operation.getKind() == Tree.Kind.PLUS) {
                look(operation.getLeftOperand());
                look(operation.getRightOperand());
            }
        }

        /** Returns whether the method converts any argument to text, such as a format. */
        static boolean takesAnything(ExecutableElement method) {
            return method.isVarArgs()
                    && method.getParameters().getLast().asType() instanceof ArrayType array
                    && array.getComponentType().toString().endsWith("java.lang.Object");
        }

        final void found(Tree tree) {
            long start = trees.getSourcePositions().getStartPosition(unit.tree(), tree);
            unit.found()
                    .add("%s:%d %s"
                            .formatted(
                                    unit.tree().getSourceFile().getName(),
                                    unit.tree().getLineMap().getLineNumber(start),
                                    tree));
        }
    }
}
