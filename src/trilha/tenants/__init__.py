"""Customers' spaces. Owns `tenants`. Only the operator, on the command line, makes or changes one."""
