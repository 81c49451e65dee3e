module trilha/call

go 1.24

require golang.org/x/oauth2 v0.27.0
