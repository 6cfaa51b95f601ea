package dev.spream.projection;

/**
 * A read model outside the store's database, such as a search index. It can be lost or replaced while the checkpoint in
 * the store remains. A {@link Projection} implements it; the store records the id of each version's read model, and
 * nothing is written to another one.
 *
 * <p>Called whenever a version, or a segment of it, starts or resumes. Safe for use by many threads.
 */
public interface ExternalReadModel {

    /**
     * Begins the read model of the version that this projection writes. It is empty afterwards. Called before the first
     * event is processed, by one thread at a time; called again if the returned id could not be stored.
     *
     * @return the id that distinguishes it from all others, also from one created later in its place
     * @throws ProjectionException to classify the failure
     */
    String begin() throws Exception;

    /**
     * Checks that the read model is the one that was begun.
     *
     * @throws ProjectionException a fatal one if it is another read model
     */
    void require(String id) throws Exception;
}
