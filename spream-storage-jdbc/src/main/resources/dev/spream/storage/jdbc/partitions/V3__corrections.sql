-- The audit of corrections: every change of a stored subscription by an operator. No row is written.
CREATE TABLE subscription_corrections (
    subscription text NOT NULL,
    number bigint NOT NULL, -- 1 for the first
    corrected_at timestamptz NOT NULL,
    actor text NOT NULL,
    reason text NOT NULL,
    change text NOT NULL,
    PRIMARY KEY (subscription, number)
);
