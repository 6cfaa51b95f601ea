package dev.spream.servers;

/** An error response of the double, or the error of a task. */
final class DoubleRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    final int status;
    final String type;
    final String code;

    DoubleRefusal(int status, String type, String code) {
        super(code);
        this.status = status;
        this.type = type;
        this.code = code;
    }

    DoubleRefusal(int status, String code) {
        this(status, "invalid_request", code);
    }
}
