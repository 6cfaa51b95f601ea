-- Whether a worker delivers whole transactions. Workers of an earlier release register as before.
ALTER TABLE workers ADD COLUMN whole_transactions boolean NOT NULL DEFAULT false;
