package dev.spream.artefacts;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** A pom of this build, as it is written: nothing is inherited. */
record Pom(Path folder, Document document) {
    private static final Path ROOT = Path.of("../..");

    static Pom root() {
        return of(ROOT);
    }

    /** Every module that is deployed and has a jar. */
    static List<Pom> published() {
        return root().texts("/project/modules/module").stream()
                .map(module -> of(ROOT.resolve(module)))
                .filter(pom ->
                        !pom.texts("/project/properties/maven.deploy.skip").contains("true"))
                .filter(pom -> !pom.texts("/project/packaging").contains("pom"))
                .toList();
    }

    static Pom of(Path folder) {
        try {
            return new Pom(
                    folder,
                    DocumentBuilderFactory.newInstance()
                            .newDocumentBuilder()
                            .parse(folder.resolve("pom.xml").toFile()));
        } catch (ParserConfigurationException | SAXException | IOException e) {
            throw new IllegalStateException(folder + "/pom.xml", e);
        }
    }

    String artifact() {
        return text("/project/artifactId");
    }

    /** The text of the element there is; empty if there is none. */
    String text(String path) {
        return String.join("", texts(path));
    }

    List<String> texts(String path) {
        try {
            NodeList found =
                    (NodeList) XPathFactory.newInstance().newXPath().evaluate(path, document, XPathConstants.NODESET);
            return IntStream.range(0, found.getLength())
                    .mapToObj(i -> found.item(i).getTextContent())
                    .toList();
        } catch (XPathExpressionException e) {
            throw new IllegalArgumentException(path, e);
        }
    }

    @Override
    public String toString() {
        return artifact();
    }
}
