<?php $config=['example-userpass'=>['exampleauth:UserPass','alice:alicepw'=>['uid'=>['alice'],'mail'=>['alice@acme.test'],'displayName'=>['Alice']]]];
