<?php
$dir=getenv('SSP_DIR'); $r=parse_url($_SERVER['REQUEST_URI'],PHP_URL_PATH);
$r=preg_replace('#^/simplesaml#','',$r);
if(!preg_match('#^(.*?\.php)(/.*)?$#',$r,$m)){ return false; }
$_SERVER['SCRIPT_NAME']=$_SERVER['PHP_SELF']='/simplesaml'.$m[1];
$file=$dir.'/root/usr/share/simplesamlphp/www'.$m[1];
$_SERVER['SCRIPT_FILENAME']=$file; if(isset($m[2])) $_SERVER['PATH_INFO']=$m[2];
chdir(dirname($file)); require $file;
