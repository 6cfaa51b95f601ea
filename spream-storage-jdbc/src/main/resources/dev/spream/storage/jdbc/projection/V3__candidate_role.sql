-- Versions 1 and 2 called a candidate a shadow.
ALTER TABLE projection_versions DROP CONSTRAINT projection_versions_role_check;

UPDATE projection_versions SET role = 'CANDIDATE' WHERE role = 'SHADOW';

ALTER TABLE projection_versions
    ADD CONSTRAINT projection_versions_role_check CHECK (role IN ('LIVE', 'CANDIDATE', 'RETIRED'));

DROP INDEX projection_versions_shadow;

CREATE UNIQUE INDEX projection_versions_candidate ON projection_versions (projection) WHERE role = 'CANDIDATE';
