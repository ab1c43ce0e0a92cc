module generated-clients

go 1.25
