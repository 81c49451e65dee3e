"""/admin: pages for administrators, managers and instructors, a folder a noun, over the API's own actions."""
