-- Orders; each has a status.
CREATE TABLE Orders (
  Id STRING(36) NOT NULL, # a UUID; of 36 characters
  Status STRING(20),
) PRIMARY KEY (Id);

CREATE CHANGE STREAM OrdersStream FOR Orders;
