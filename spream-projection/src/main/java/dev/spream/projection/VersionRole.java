package dev.spream.projection;

/** The role of a version of a projection. One version is live, all others follow it. */
public enum VersionRole {
    /** Its read model serves readers, and it produces the side effects. */
    LIVE,
    /** It is being built, and has never been live. */
    CANDIDATE,
    /** It was live, and is kept up to date so that it can be live again, until it is dropped. */
    RETIRED
}
