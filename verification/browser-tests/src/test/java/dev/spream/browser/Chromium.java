package dev.spream.browser;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.json.Json;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A headless browser with a profile of its own, that notes what it asked for and what it complained about. */
final class Chromium implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Path SCREENSHOTS = Path.of(System.getProperty("screenshots", "target/screenshots"));
    private static final List<String> FLAGS = List.of(
            "--headless=new",
            "--no-sandbox", // it may run as root, on pages of this machine alone
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars");

    private final ChromeDriver driver;
    private final List<String> requests = new ArrayList<>();

    private Chromium(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Starts it, or fails with what to install. */
    static Chromium start() {
        File browser = find("chromium", "chromium-browser", "google-chrome");
        File driver = find("chromedriver");
        ChromeOptions options = new ChromeOptions();
        options.setBinary(browser);
        options.addArguments(FLAGS);
        options.addArguments("--window-size=1440,1300");
        LoggingPreferences logging = new LoggingPreferences();
        logging.enable(LogType.BROWSER, Level.ALL);
        logging.enable(LogType.PERFORMANCE, Level.ALL);
        options.setCapability(ChromeOptions.LOGGING_PREFS, logging);
        ChromeDriverService service =
                new ChromeDriverService.Builder().usingDriverExecutable(driver).build();
        Chromium started = new Chromium(new ChromeDriver(service, options));
        started.driver.manage().timeouts().scriptTimeout(TIMEOUT);
        return started;
    }

    private static File find(String... names) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                .flatMap(folder -> Stream.of(names).map(name -> new File(folder, name)))
                .filter(File::canExecute)
                .findFirst()
                .orElseThrow(() -> new AssertionError(
                        "no %s on the PATH: the tests of the profile browser need Chromium and its driver, on Debian:"
                                        .formatted(String.join(" or ", names))
                                + " apt-get install chromium chromium-driver"));
    }

    void open(URI page) {
        driver.get(page.toString());
    }

    /** Runs a script in the page, and returns what it returns. */
    Object run(String script, Object... arguments) {
        return Optional.ofNullable(driver.executeScript(script, arguments))
                .orElseThrow(() -> new AssertionError("the script returned nothing: " + script));
    }

    /**
     * Waits in the page until a condition holds, and fails after a minute with what the page shows then.
     *
     * @param condition the body of a JavaScript function; its arguments are {@code arguments}
     */
    void await(String what, String condition, Object... arguments) {
        String script = """
                const all = [...arguments], done = all.pop(), until = Date.now() + all.pop();
                const holds = function () { %s };
                const look = () => holds.apply(null, all) ? done(true)
                    : Date.now() > until ? done(false) : setTimeout(look, 30);
                look();""".formatted(condition);
        List<Object> all = new ArrayList<>(List.of(arguments));
        all.add(TIMEOUT.minusSeconds(5).toMillis());
        if (!Boolean.TRUE.equals(driver.executeAsyncScript(script, all.toArray()))) {
            throw new AssertionError("no %s within %s; the page shows:%n%s"
                    .formatted(
                            what,
                            TIMEOUT,
                            run("return document.body.dataset.state + '\\n' + document.body.innerText")));
        }
    }

    /** Looks at the page as a phone does. */
    void becomePhone(int width, int height) {
        command(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 2, "mobile", true));
    }

    void becomeDesktop(int width, int height) {
        command(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Sets a media feature of the browser, such as {@code prefers-color-scheme: dark}, and no other. */
    void prefer(String feature, String value) {
        command("Emulation.setEmulatedMedia", Map.of("features", List.of(Map.of("name", feature, "value", value))));
    }

    /** Keeps what is in view, under a name. */
    void screenshot(String name) throws IOException {
        Files.createDirectories(SCREENSHOTS);
        String png = String.valueOf(
                command("Page.captureScreenshot", Map.of("format", "png")).get("data"));
        Files.write(SCREENSHOTS.resolve(name + ".png"), Base64.getDecoder().decode(png));
    }

    /** Keeps the whole page at that width, under a name; every panel is then in view. */
    void screenshotWhole(String name, int width) throws IOException {
        becomeDesktop(width, 900);
        long height = (long) run("return document.documentElement.scrollHeight");
        becomeDesktop(width, Math.toIntExact(height));
        screenshot(name);
    }

    private Map<String, Object> command(String name, Map<String, Object> parameters) {
        return driver.executeCdpCommand(name, parameters);
    }

    /** Returns the errors of the page and violations of its content policy since the last call. */
    List<String> complaints() {
        return StreamSupport.stream(driver.manage().logs().get(LogType.BROWSER).spliterator(), false)
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogEntry::getMessage)
                .toList();
    }

    /** The addresses that pages asked for since the start, what the browser shows by itself left out. */
    List<String> requests() {
        for (LogEntry entry : driver.manage().logs().get(LogType.PERFORMANCE)) {
            Map<?, ?> message = member(new Json().toType(entry.getMessage(), Map.class), "message");
            if ("Network.requestWillBeSent".equals(message.get("method"))) {
                requests.add(String.valueOf(
                        member(member(message, "params"), "request").get("url")));
            }
        }
        return List.copyOf(requests);
    }

    private static Map<?, ?> member(Map<?, ?> object, String name) {
        return object.get(name) instanceof Map<?, ?> map ? map : Map.of();
    }

    @Override
    public void close() {
        driver.quit();
    }
}
