package dev.spream.projection;

import java.util.Set;

/**
 * The properties of the code of a projection that its store records for each version.
 *
 * @param revision see {@link Projection#revision()}
 * @param tables see {@link RebuildableProjection#tables()}; empty for others
 * @param effects whether it has {@link SideEffectingProjection}
 */
public record ProjectionCode(int revision, Set<String> tables, boolean effects) {
    /** Code of the first revision without tables to exchange and without side effects. */
    public static final ProjectionCode PLAIN = new ProjectionCode(1, Set.of(), false);

    public ProjectionCode {
        if (revision < 1) {
            throw new IllegalArgumentException("revision is %d, must be 1 or more".formatted(revision));
        }
        tables = Set.copyOf(tables);
    }

    public static ProjectionCode of(Projection<?> projection) {
        return new ProjectionCode(
                projection.revision(),
                projection instanceof RebuildableProjection<?> rebuildable ? rebuildable.tables() : Set.of(),
                projection instanceof SideEffectingProjection<?>);
    }
}
